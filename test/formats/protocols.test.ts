import { describe, expect, test } from '@jest/globals';
import { verifyEvents } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { parseJsonEventStream, readUIMessageStream, uiMessageChunkSchema, type UIMessage, type UIMessageChunk } from 'ai';
import fc from 'fast-check';
import { from, lastValueFrom, toArray, type Observable } from 'rxjs';
import { anyRun } from '../support/any-run.js';
import { encodeLog, payloads } from '../support/encode.js';
import { LOGS } from '../support/logs.js';

type Source = Parameters<ReturnType<typeof verifyEvents>>[0];
type Parsed = ReturnType<typeof parseJsonEventStream<UIMessageChunk>> extends ReadableStream<infer Result> ? Result : never;
type Event = { type: string } & Record<string, unknown>;

/** Throws where the protocol's own checks do. @returns the events */
async function verified(log: readonly string[]): Promise<Event[]> {
  const events = payloads(encodeLog('ag-ui', log)).map((payload) => EventSchemas.parse(payload) as Event);
  // Its rxjs is another copy of ours.
  const checked = verifyEvents()(from(events) as unknown as Source) as unknown as Observable<Event>;
  await lastValueFrom(checked.pipe(toArray()));
  return events;
}

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
        for (const kind of ['TEXT_MESSAGE', 'REASONING_MESSAGE']) expect(count(`${kind}_START`)).toBe(count(`${kind}_END`));
        expect(count('SUBAGENT_STARTED')).toBe(count('SUBAGENT_FINISHED') + count('SUBAGENT_ERROR'));
      }),
      { numRuns: 100 },
    );
  });

  test('sub-agents: parents first, and a new one for each attempt', async () => {
    const events = await verified(LOGS['a diagnosis with an attempt that failed'] as string[]);
    const subs = events
      .filter(({ type }) => type.startsWith('SUBAGENT'))
      .map(({ type, subagentRunId }) => `${type} ${String(subagentRunId).slice(-4)}`);
    expect(subs).toEqual(['SUBAGENT_STARTED b:d1', 'SUBAGENT_ERROR b:d1', 'SUBAGENT_STARTED d1#2', 'SUBAGENT_FINISHED d1#2']);
    const started = (await verified(LOGS['root-cause'] as string[])).filter(({ type }) => type === 'SUBAGENT_STARTED');
    const known = new Set<unknown>([undefined]);
    for (const { subagentRunId, parentSubagentRunId } of started) {
      expect(known).toContain(parentSubagentRunId);
      known.add(subagentRunId);
    }
    expect(started.filter(({ parentSubagentRunId }) => parentSubagentRunId !== undefined)).not.toHaveLength(0);
  });
});

/** The message that the AI SDK makes of a stream, as `useChat` does. */
async function uiMessage(text: string): Promise<{ message: UIMessage | undefined; chunks: UIMessageChunk[]; errors: unknown[] }> {
  const chunks: UIMessageChunk[] = [];
  const errors: unknown[] = [];
  const stream = parseJsonEventStream({ stream: new Blob([text]).stream(), schema: uiMessageChunkSchema }).pipeThrough(
    new TransformStream<Parsed, UIMessageChunk>({
      transform(result, controller) {
        if (!result.success) throw result.error;
        chunks.push(result.value);
        controller.enqueue(result.value);
      },
    }),
  );
  let message: UIMessage | undefined;
  for await (const next of readUIMessageStream({ stream, onError: (error) => errors.push(error) })) message = next;
  return { message, chunks, errors };
}

const partsOf = (message: UIMessage | undefined, type: string) =>
  (message?.parts ?? []).filter((part) => part.type === type) as Record<string, unknown>[];
const textsOf = (message: UIMessage | undefined) => partsOf(message, 'text').map(({ text }) => text);

describe("ai-sdk: the AI SDK's own reader accepts", () => {
  test.each(Object.keys(LOGS))('%s', async (name) => {
    const text = encodeLog('ai-sdk', LOGS[name] as string[]);
    expect(text).toMatch(/\ndata: \[DONE\]\n\n$/);
    const { message, errors, chunks } = await uiMessage(text);
    const failed = chunks.some(({ type }) => type === 'error');
    expect(errors).toHaveLength(failed ? 1 : 0);
    expect(message?.parts.filter((part) => 'state' in part && part.state === 'streaming') ?? []).toEqual([]);
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
    const { message } = await uiMessage(encodeLog('ai-sdk', LOGS['a diagnosis with an attempt that failed'] as string[]));
    expect(textsOf(message)).toEqual(['I send one team.', 'The web is well.', ' Found 0 warnings, 0 critical issues.']);
    expect(partsOf(message, 'data-agent')).toEqual([
      {
        type: 'data-agent',
        id: 'd1',
        data: expect.objectContaining({ status: 'ok', text: 'A whole thought.', summary: 'All is well.' }) as unknown,
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
    expect(partsOf(late.message, 'dynamic-tool')).toMatchObject([{ state: 'output-error', errorText: 'no result within 30 s' }]);
    const broken = await uiMessage(encodeLog('ai-sdk', LOGS['error in the middle'] as string[]));
    expect([textsOf(broken.message), String(broken.errors[0])]).toEqual([['The disk is'], 'Error: It ended with OVERLOADED.']);
  });
});
