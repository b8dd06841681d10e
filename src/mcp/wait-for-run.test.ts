import { expect, it } from '@jest/globals';
import type { FollowOptions, RunRecord } from '../client/index.js';
import type { NamedEvent } from '../domain/events/event.js';
import { progressLine, waitForRun } from './wait-for-run.js';

const event = (sequence: number, name: string, data: object, agent: string | null = 'Prober') =>
  ({ sequence, name, data, source: agent === null ? null : { agent_name: agent } }) as NamedEvent;

const result = (sequence: number) =>
  event(sequence, 'llm.tool_result', { result: { summary: `result ${sequence}` } });

async function* endless(events: readonly NamedEvent[], signal: AbortSignal | undefined) {
  yield* events;
  await new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

const recorded = (lastSequence: number) => async () => ({ lastSequence }) as RunRecord;

/** Each event comes after a while. */
async function* slow(events: readonly NamedEvent[], signal: AbortSignal | undefined) {
  for (const each of events) {
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    yield each;
  }
  yield* endless([], signal);
}

it('reads what is recorded, also if it may not wait', async () => {
  const events = Array.from({ length: 13 }, (_, index) => result(index + 1));
  const client = {
    follow: (_id: string, options?: FollowOptions) => slow(events, options?.signal),
    show: recorded(13),
  };
  const { signal } = new AbortController();
  const waited = await waitForRun(client, 'r', { afterSeq: 0, waitSeconds: 0, signal });
  expect(waited.lastSeq).toBe(13);
  expect(waited.progress).toHaveLength(13);
});

it('returns the latest lines and the last sequence when the time is up', async () => {
  const events = Array.from({ length: 60 }, (_, index) => result(index + 1));
  const seen: number[] = [];
  const waited = await waitForRun(
    { follow: (_id, options) => endless(events, options?.signal), show: recorded(60) },
    'r',
    {
      afterSeq: 0,
      waitSeconds: 0.05,
      signal: new AbortController().signal,
      onProgress: (sequence) => void seen.push(sequence),
    },
  );
  expect(waited.lastSeq).toBe(60);
  expect(waited.progress).toHaveLength(40);
  expect(waited.progress.at(-1)).toBe('Prober: result 60');
  expect(seen).toHaveLength(60);
});

it('throws an error of the client that is not the end of the wait', async () => {
  const follow = (): AsyncGenerator<NamedEvent, void, undefined> => {
    throw new Error('gone');
  };
  const options = { afterSeq: 0, waitSeconds: 1, signal: new AbortController().signal };
  await expect(waitForRun({ follow, show: recorded(0) }, 'r', options)).rejects.toThrow('gone');
});

it('shows reports and results on one short line, and no model text', () => {
  expect(progressLine(event(1, 'dispatch.report', { summary: 'a\n  b' }))).toBe('Prober: a b');
  expect(progressLine(event(1, 'llm.stream', { content: 'thinking' }))).toBeUndefined();
  expect(progressLine(event(1, 'system.warning', { message: 'x'.repeat(900) }, null))).toHaveLength(
    200,
  );
});
