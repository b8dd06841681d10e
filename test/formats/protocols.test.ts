import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyRun } from '../support/any-run.js';
import { encodeLog } from '../support/encode.js';
import { LOGS } from '../support/logs.js';
import { agUiEvents, partsOf, textsOf, uiMessage } from '../support/protocol-readers.js';

const verified = (log: readonly string[]) => agUiEvents(encodeLog('ag-ui', log));

describe('ag-ui: the verifier of the protocol accepts', () => {
  test.each(Object.keys(LOGS))('%s', async (name) => {
    const types = (await verified(LOGS[name] as string[])).map(({ type }) => type);
    expect(types[0]).toBe('RUN_STARTED');
    expect(['RUN_FINISHED', 'RUN_ERROR']).toContain(types.at(-1));
  });

  test('any run, and each closes what it has opened, also where it fails', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (log) => {
        const events = await verified(log);
        const count = (type: string) => events.filter((event) => event.type === type).length;
        for (const kind of ['TEXT_MESSAGE', 'REASONING_MESSAGE'])
          expect(count(`${kind}_START`)).toBe(count(`${kind}_END`));
        expect(count('SUBAGENT_STARTED')).toBe(
          count('SUBAGENT_FINISHED') + count('SUBAGENT_ERROR'),
        );
      }),
      { numRuns: 100 },
    );
  });

  test('sub-agents: parents first, and a new one for each attempt', async () => {
    const events = await verified(LOGS['a diagnosis with an attempt that failed'] as string[]);
    const subs = events
      .filter(({ type }) => type.startsWith('SUBAGENT'))
      .map(({ type, subagentRunId }) => `${type} ${String(subagentRunId).slice(-4)}`);
    expect(subs).toEqual([
      'SUBAGENT_STARTED b:d1',
      'SUBAGENT_ERROR b:d1',
      'SUBAGENT_STARTED d1#2',
      'SUBAGENT_FINISHED d1#2',
    ]);
    const started = (await verified(LOGS['root-cause'] as string[])).filter(
      ({ type }) => type === 'SUBAGENT_STARTED',
    );
    const known = new Set<unknown>([undefined]);
    for (const { subagentRunId, parentSubagentRunId } of started) {
      expect(known).toContain(parentSubagentRunId);
      known.add(subagentRunId);
    }
    expect(
      started.filter(({ parentSubagentRunId }) => parentSubagentRunId !== undefined),
    ).not.toHaveLength(0);
  });
});

describe("ai-sdk: the AI SDK's own reader accepts", () => {
  test.each(Object.keys(LOGS))('%s', async (name) => {
    const text = encodeLog('ai-sdk', LOGS[name] as string[]);
    expect(text).toMatch(/\ndata: \[DONE\]\n\n$/);
    const { message, errors, chunks } = await uiMessage(text);
    const failed = chunks.some(({ type }) => type === 'error');
    expect(errors).toHaveLength(failed ? 1 : 0);
    expect(
      message?.parts.filter((part) => 'state' in part && part.state === 'streaming') ?? [],
    ).toEqual([]);
  });

  test('any run', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (log) => {
        const { errors, chunks } = await uiMessage(encodeLog('ai-sdk', log));
        expect(errors).toHaveLength(chunks.filter(({ type }) => type === 'error').length);
      }),
      { numRuns: 100 },
    );
  });

  test('agents are parts that replace themselves, and what counts is said once', async () => {
    const { message } = await uiMessage(
      encodeLog('ai-sdk', LOGS['a diagnosis with an attempt that failed'] as string[]),
    );
    expect(textsOf(message)).toEqual([
      'I send one team.',
      'The web is well.',
      ' Found 0 warnings, 0 critical issues.',
    ]);
    expect(partsOf(message, 'data-agent')).toEqual([
      {
        type: 'data-agent',
        id: 'd1',
        data: expect.objectContaining({
          status: 'ok',
          text: 'A whole thought.',
          summary: 'All is well.',
        }) as unknown,
      },
    ]);
    const recorded = await uiMessage(encodeLog('ai-sdk', LOGS['root-cause'] as string[]));
    const tools = partsOf(recorded.message, 'data-tool');
    expect(tools).not.toHaveLength(0);
    expect(tools.every(({ data }) => (data as { status: string }).status === 'ok')).toBe(true);
    expect(partsOf(recorded.message, 'data-report')).toHaveLength(1);
  });

  test('a tool that timed out, and a chat that was cut off', async () => {
    const late = await uiMessage(encodeLog('ai-sdk', LOGS['function timeout'] as string[]));
    expect(partsOf(late.message, 'dynamic-tool')).toMatchObject([
      { state: 'output-error', errorText: 'no result within 30 s' },
    ]);
    const broken = await uiMessage(encodeLog('ai-sdk', LOGS['error in the middle'] as string[]));
    expect([textsOf(broken.message), String(broken.errors[0])]).toEqual([
      ['The disk is'],
      'Error: It ended with OVERLOADED.',
    ]);
  });
});
