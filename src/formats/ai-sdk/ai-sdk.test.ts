import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyRun } from '../../../test/support/generators/any-run.js';
import { encodeLog } from '../../../test/support/streams/encode.js';
import { expectFixture } from '../../../test/support/streams/format-fixture.js';
import { LOGS } from '../../../test/support/streams/logs.js';
import { partsOf, textsOf, uiMessage } from '../../../test/support/streams/protocol-readers.js';

test('encodes a recorded chat turn to its fixture', () => expectFixture('ai-sdk'));

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

  test('agents as parts that replace earlier ones, with each fact once', async () => {
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
