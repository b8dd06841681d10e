import { expect } from '@jest/globals';
import { spec, started } from '../incidents/drafts.js';
import { isTerminalStatus, type RunStatus } from '../../../src/domain/run-status.js';
import type { LogPort } from '../../../src/event-log/log-port.js';
import { MemoryLog } from '../../../src/event-log/memory-log.js';
import { RedisLog } from '../../../src/event-log/redis-log.js';
import type { Op } from '../generators/log-operations.js';

/** Reads all frames of a run, page by page. */
export async function framesOf(log: LogPort, runId: string): Promise<Buffer[]> {
  const frames: Buffer[] = [];
  for (;;) {
    const page = await log.read(runId, frames.length, 7);
    frames.push(...page.frames);
    if (frames.length >= page.lastSequence) return frames;
    if (page.frames.length === 0) throw new Error(`No frame after ${frames.length} can be read`);
  }
}

/** The time in a frame. */
export const STAMP = /"timestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/;

/** The two logs that must be the same. */
export interface Logs {
  redis: RedisLog;
  memory: MemoryLog;
}

/** The text of a frame without its time, which differs between the logs. */
export const withoutTime = (frame: Buffer) => frame.toString().replace(STAMP, '"timestamp":""');
/** The two logs have different clocks. */
const TIMES = ['ms', 'now', 'createdAt', 'startedAt', 'endedAt', 'updatedAt'];
const timeless = <T extends object>(answer: T | undefined) =>
  answer &&
  Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [
      key,
      TIMES.includes(key) ? typeof value : (value as unknown),
    ]),
  );

/** Calls both logs and compares their results. */
export async function both(
  { redis, memory }: Logs,
  runId: string,
  at: Map<string, { epoch: number; step: number }>,
  next: Op,
): Promise<string> {
  switch (next.op) {
    case 'create':
      await memory.create(runId, spec, [started]);
      await redis.create(runId, spec, [started]);
      return 'ok';
    case 'claim': {
      const { writer: id, ...options } = next;
      const expected = await memory.claim(runId, id, options);
      expect(timeless(await redis.claim(runId, id, options))).toEqual(timeless(expected));
      if (expected.kind === 'claimed') at.set(id, expected);
      return expected.kind;
    }
    case 'append': {
      const { epoch, step: last } = at.get(next.writer) ?? { epoch: 1, step: 0 };
      const wanted = {
        writer: next.writer,
        epoch: epoch - next.late,
        step: last + next.ahead,
        events: next.events,
        ...next.more,
      };
      const expected = await memory.append(runId, wanted);
      expect(timeless(await redis.append(runId, wanted))).toEqual(timeless(expected));
      if (expected.kind === 'ok' && next.ahead === 1)
        at.set(next.writer, { epoch, step: last + 1 });
      return expected.kind;
    }
    case 'seal': {
      const expected = await memory.seal(runId, () => next.event);
      expect(timeless(await redis.seal(runId, () => next.event))).toEqual(timeless(expected));
      return 'ok';
    }
    case 'trim': {
      const expected = await memory.trim(runId);
      expect(await redis.trim(runId)).toBe(expected);
      return expected ? 'gone' : 'open';
    }
  }
}

/** Compares everything that can be read of a run, except its frames. */
export async function expectSameState({ redis, memory }: Logs, runId: string): Promise<void> {
  expect(timeless(await redis.state(runId))).toEqual(timeless(await memory.state(runId)));
  expect(await redis.evidence(runId)).toEqual(await memory.evidence(runId));
  expect(new Set(await redis.dispatched(runId))).toEqual(new Set(await memory.dispatched(runId)));
  expect(await redis.reported(runId)).toEqual(await memory.reported(runId));
  const sequences = async (log: RedisLog | MemoryLog) =>
    (await log.reports(runId)).map(({ sequence }) => sequence);
  expect(await sequences(redis)).toEqual(await sequences(memory));
}

/** Checks the head of each message: which frames it has, and whether they are the last. */
export function expectHeads(heard: Buffer[], last: number, status = 'running'): void {
  const isSealed = isTerminalStatus(status as RunStatus);
  let next = 1;
  heard.forEach((message, i) => {
    const [first, end, sealed] = message
      .toString('latin1', 0, message.indexOf(10))
      .split(' ')
      .map(Number) as [number, number, number];
    expect([first, sealed]).toEqual([next, isSealed && i === heard.length - 1 ? 1 : 0]);
    next = end + 1;
  });
  expect(next).toBe(last + 1);
}
