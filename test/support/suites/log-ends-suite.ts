import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from '@jest/globals';
import { completed, dispatched, failed, spec, started, text } from '../incidents/drafts.js';
import type { DraftEvent } from '../../../src/domain/events/event.js';
import { headOf } from '../../../src/domain/run.js';
import type { LogPort } from '../../../src/event-log/log-port.js';
import type { MakeLog } from './log-suite.js';

/**
 * What every implementation of `LogPort` does if a log is full, if the service adds an event, and
 * after the end of a run.
 */
export function logEndsSuite(make: MakeLog): void {
  let log: LogPort;
  let runId: string;
  const begin = async (...bounds: Parameters<MakeLog>) => {
    log = make(...bounds);
    runId = randomUUID();
    await log.create(runId, spec, [started]);
  };
  beforeEach(() => begin());

  const step = (number: number, events: DraftEvent[]) =>
    log.append(runId, { writer: 'w', epoch: 1, step: number, events });

  it('refuses a step that does not fit, and keeps room for the event that ends the run', async () => {
    await begin({ eventMaxBytes: 65_536, logMaxBytes: 1_048_576 });
    await log.claim(runId, 'w');
    let number = 0;
    while ((await step(++number, [text('y'.repeat(1e5))])).kind === 'ok');
    expect(number).toBe(16);
    expect(await step(number, [text('y'.repeat(1e5))])).toEqual({ kind: 'full' });
    await log.seal(runId, () => failed('x'.repeat(1e6)));
    const { frames } = await log.read(runId, 0, 1_000);
    expect(Buffer.concat(frames).length).toBeLessThanOrEqual(1_048_576);
    expect(frames.at(-1)?.toString()).toContain('"code":"LOG_LIMIT"');
    expect(await step(number, [])).toEqual({ kind: 'sealed' });
  });

  it('lets the step that fills the log end the run', async () => {
    await begin({ logMaxEvents: 10 });
    await log.claim(runId, 'w');
    const eight = Array.from({ length: 8 }, () => text('x'));
    expect(await step(1, [...eight, text('x')])).toEqual({ kind: 'full' });
    expect(await step(1, [...eight, text('x'), completed])).toEqual({ kind: 'full' });
    expect(await step(1, [...eight, completed])).toMatchObject({ first: 2, last: 10 });
  });

  it('says how many events a log still has room for', async () => {
    await begin({ logMaxEvents: 10 });
    await log.claim(runId, 'w');
    expect(await step(1, [text('x'), text('x')])).toMatchObject({ last: 3, room: 6 });
    expect(await step(1, [text('other')])).toMatchObject({ last: 3, room: 6 });
  });

  it('notes events of the service without a writer, and one with a condition once', async () => {
    const note: DraftEvent = {
      name: 'system.warning',
      source: null,
      data: { message: 'm', code: 'ALERT_FIRING' },
      when: { once: 'alert-1' },
    };
    expect([await log.note(runId, [note]), await log.note(runId, [note])]).toEqual(['ok', 'ok']);
    const { frames } = await log.read(runId, 0, 100);
    expect(frames.map((frame) => frame.toString().split('\n')[0])).toEqual([
      'event: lifecycle.started',
      'event: system.warning',
    ]);
    expect(await log.given(runId, 'alert-1')).toMatchObject({
      sequence: 2,
      data: { code: 'ALERT_FIRING' },
    });
    expect(await log.given(runId, 'alert-2')).toBeUndefined();
    expect(await log.state(runId)).toMatchObject({ status: 'queued', lastSequence: 2 });
    await log.seal(runId, () => failed('x'));
    expect(await log.note(runId, [text('x')])).toBe('sealed');
    expect(await log.note(randomUUID(), [text('x')])).toBe('missing');
  });

  it('notes nothing in a full log', async () => {
    await begin({ logMaxEvents: 10 });
    const events = (count: number) => Array.from({ length: count }, () => text('x'));
    expect(await log.note(runId, events(9))).toBe('full');
    expect(await log.note(runId, events(8))).toBe('ok');
    expect((await log.state(runId))?.lastSequence).toBe(9);
  });

  it('drops the topology only of a run that has ended, and keeps the rest of its specification', async () => {
    await log.dropTopology(runId);
    expect(await log.spec(runId)).toEqual(spec);
    await log.claim(runId, 'w');
    await step(1, [completed]);
    for (const _ of [1, 2]) await log.dropTopology(runId);
    const { id, name, globalSupervisor } = spec.topology;
    const topology = { id, name, globalSupervisor, nodes: [], teams: [] };
    expect(await log.spec(runId)).toEqual({ ...spec, topology });
    expect((await log.state(runId))?.head).toEqual(headOf(spec));
    await log.trim(runId);
    await log.dropTopology(runId);
    expect(await log.spec(runId)).toBeUndefined();
  });

  it('trims only a run that has ended, and keeps its state and terminal event', async () => {
    expect(await log.trim(runId)).toBe(false);
    await log.claim(runId, 'w');
    await step(1, [dispatched('d1'), completed]);
    expect([await log.trim(runId), await log.trim(runId)]).toEqual([true, true]);
    expect(await log.state(runId)).toMatchObject({
      status: 'completed',
      lastSequence: 3,
      expired: true,
    });
    expect(await log.reports(runId)).toEqual([]);
    expect((await log.events(runId, [3])).map(({ sequence }) => sequence)).toEqual([3]);
    await expect(log.read(runId, 0, 10)).rejects.toMatchObject({ code: 'RUN_EXPIRED' });
    expect((await log.read(runId, 3, 10)).frames).toEqual([]);
    expect(await log.claim(runId, 'w')).toEqual({ kind: 'sealed' });
    await log.forget(runId);
    expect(await log.state(runId)).toBeUndefined();
  });
}
