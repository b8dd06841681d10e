import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from '@jest/globals';
import { completed, dispatched, failed, spec, started, text } from '../incidents/drafts.js';
import type { Measurement } from '../../../src/domain/diagnosis/measurement.js';
import type { DraftEvent } from '../../../src/domain/events/event.js';
import { headOf } from '../../../src/domain/run.js';
import type { LogPort, MeasurementOptions, Step } from '../../../src/event-log/log-port.js';
import type { LogBounds } from '../../../src/event-log/log-room.js';

const reported = (id: string): DraftEvent => ({
  name: 'dispatch.report',
  source: null,
  data: { dispatch_id: id, status: 'ok', reasons: [], summary: 's', findings: [] },
});
const result = (id: string): DraftEvent => ({
  name: 'llm.tool_result',
  source: null,
  data: {
    dispatch_id: null,
    turn: 1,
    attempt: 1,
    tool: 't',
    tool_call_id: id,
    result: {},
    status: 'ok',
    duration_ms: 1,
    truncated: false,
  },
});

/** Makes a log with the default bounds, or with these. */
export type MakeLog = (bounds?: Partial<LogBounds>) => LogPort;

/**
 * What every implementation of `LogPort` must do: `log-ends-suite.ts` has what it does at its
 * bounds and after the end of a run.
 */
export function logSuite(make: MakeLog): void {
  let log: LogPort;
  let runId: string;
  beforeEach(async () => {
    log = make();
    runId = randomUUID();
    await log.create(runId, spec, [started]);
  });

  const step = (number: number, events: DraftEvent[] = [text('x')], more: Partial<Step> = {}) =>
    log.append(runId, { writer: 'w', epoch: 1, step: number, events, ...more });
  const names = async () => {
    const { frames } = await log.read(runId, 0, 100);
    return frames.map((frame) => /^event: (.*)$/m.exec(frame.toString())?.[1]);
  };

  it('creates a run once', async () => {
    const head = (await log.state(runId))?.head;
    expect(head).toMatchObject({ userMessage: spec.userMessage });
    const again = { ...spec, userMessage: 'other', order: 7 };
    expect(await log.create(runId, again, [started, started])).toEqual(head);
    expect(await log.spec(runId)).toEqual(spec);
    expect(await log.state(runId)).toMatchObject({
      status: 'queued',
      lastSequence: 1,
      startedAt: null,
      endedAt: null,
      lostUpTo: 0,
      head: headOf(spec),
      expired: false,
    });
  });

  it('answers for an unknown run', async () => {
    const none = randomUUID();
    expect(await log.state(none)).toBeUndefined();
    expect(await log.spec(none)).toBeUndefined();
    expect(await log.tail(none)).toBeUndefined();
    expect(await log.claim(none, 'w')).toEqual({ kind: 'missing' });
    expect(await log.seal(none, () => completed)).toBeUndefined();
    expect(await log.append(none, { writer: 'w', epoch: 1, step: 1, events: [] })).toEqual({
      kind: 'missing',
    });
    expect(await log.countStart(none)).toBe(0);
    expect(await log.trim(none)).toBe(true);
    await log.markLost(none, 3);
    await log.forget(none);
    await expect(log.read(none, 0, 1)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(await log.state(none)).toBeUndefined();
  });

  it('gives a writer to its latest claim, with the checkpoint and the messages of its last step', async () => {
    expect(await log.claim(runId, 'w')).toMatchObject({
      kind: 'claimed',
      epoch: 1,
      step: 0,
      claims: 1,
      checkpoint: null,
      messages: [],
    });
    expect(await log.state(runId)).toMatchObject({ status: 'running' });
    await step(1, [], { checkpoint: '{"a":1}', messages: ['"m1"', '"m2"'] });
    await step(2, [], { messages: ['"m3"'] });
    expect(await log.claim(runId, 'w')).toMatchObject({
      epoch: 2,
      step: 2,
      claims: 1,
      checkpoint: '{"a":1}',
      messages: ['"m1"', '"m2"', '"m3"'],
    });
    expect(await step(3)).toEqual({ kind: 'fenced' });
    expect(await names()).toEqual(['lifecycle.started']);
  });

  it('records a repeated step once, and refuses a gap', async () => {
    await log.claim(runId, 'w');
    expect(await step(1, [text('a'), text('b')])).toMatchObject({ kind: 'ok', first: 2, last: 3 });
    expect(await step(1, [text('other')])).toMatchObject({ kind: 'ok', first: 2, last: 3 });
    expect(await step(3, [text('c')], { seen: 9 })).toEqual({ kind: 'gap', step: 1 });
    expect(await names()).toHaveLength(3);
    expect((await log.state(runId))?.lostUpTo).toBe(9);
  });

  it('suspects a writer that was claimed too often without progress', async () => {
    const claims = async (options = {}) => {
      const claim = await log.claim(runId, 'w', options);
      return 'claims' in claim ? [claim.kind, claim.claims] : [claim.kind];
    };
    expect(await claims()).toEqual(['claimed', 1]);
    expect(await claims({ counts: false })).toEqual(['claimed', 1]);
    expect(await claims({ suspectAt: 2 })).toEqual(['claimed', 2]);
    expect(await claims({ suspectAt: 2 })).toEqual(['suspect', 2]);
    const at = (epoch: number, number: number, progress: Step['progress']) =>
      log.append(runId, {
        writer: 'w',
        epoch,
        step: number,
        events: [],
        ...(progress !== undefined && { progress }),
      });
    await at(3, 1, false);
    expect(await claims({ suspectAt: 2 })).toEqual(['suspect', 2]);
    await at(3, 2, 'going');
    expect(await claims()).toEqual(['claimed', 2]);
    await at(4, 3, true);
    expect(await claims({ suspectAt: 1 })).toEqual(['claimed', 1]);
  });

  it('takes a repeated claim of the same name for the same claim, until something is recorded', async () => {
    const claim = async (name: string) => {
      const answer = await log.claim(runId, 'w', { name });
      return answer.kind === 'claimed' && answer.epoch;
    };
    expect([await claim('a'), await claim('a'), await claim('b')]).toEqual([1, 1, 2]);
    await log.append(runId, { writer: 'w', epoch: 2, step: 1, events: [] });
    expect([await claim('b'), await claim('b')]).toEqual([3, 3]);
  });

  it('accepts nothing from a writer that is done, nor into a sealed run', async () => {
    await log.claim(runId, 'w');
    await step(1, [], { checkpoint: '{}', done: true });
    expect(await log.claim(runId, 'w')).toEqual({ kind: 'done' });
    expect(await step(2)).toEqual({ kind: 'fenced' });
    await log.claim(runId, 'top');
    const last = { writer: 'top', epoch: 1, step: 1, events: [completed] };
    expect(await log.append(runId, last)).toMatchObject({ kind: 'ok', last: 2 });
    expect(await log.append(runId, last)).toMatchObject({ kind: 'ok', last: 2 });
    expect(await log.append(runId, { ...last, step: 2 })).toEqual({ kind: 'sealed' });
    expect(await log.claim(runId, 'top')).toEqual({ kind: 'sealed' });
    expect(await log.seal(runId, () => failed('x'))).toEqual({
      status: 'completed',
      sealed: false,
      ms: 0,
    });
  });

  it('refuses a step with an event after the terminal one as a whole', async () => {
    await log.claim(runId, 'w');
    await expect(step(1, [text('x'), completed, text('y')])).rejects.toThrow(/^INVALID /);
    expect(await names()).toEqual(['lifecycle.started']);
    expect(await step(1)).toMatchObject({ kind: 'ok' });
  });

  it('seals with an event made of the reports so far', async () => {
    await log.claim(runId, 'w');
    await step(1, [dispatched('d1'), dispatched('d2'), reported('d1')]);
    const sealed = await log.seal(runId, (events) => failed(`${events.length} events`));
    expect(sealed).toMatchObject({ status: 'failed', sealed: true });
    const state = await log.state(runId);
    expect([state?.status, state?.endedAt, state?.lastSequence]).toEqual(['failed', sealed?.ms, 5]);
    expect((await log.events(runId, [5]))[0]?.data).toMatchObject({ error: '3 events' });
    expect(await log.countStart(runId)).toBe(0);
  });

  it('finds dispatches, reports and evidence without reading the log', async () => {
    await log.claim(runId, 'w');
    await step(1, [
      dispatched('d1'),
      dispatched('d1_1'),
      text('x'),
      result('t1'),
      reported('d1_1'),
    ]);
    expect(new Set(await log.dispatched(runId))).toEqual(new Set(['d1', 'd1_1']));
    expect(await log.reported(runId)).toEqual(new Set(['d1_1']));
    expect(await log.evidence(runId)).toEqual(new Map([['t1', 5]]));
    const sequences = async (under?: string) =>
      (await log.reports(runId, under)).map(({ sequence }) => sequence);
    expect(await sequences()).toEqual([2, 3, 6]);
    expect(await sequences('d1_')).toEqual([3, 6]);
    expect(await sequences('d2_')).toEqual([]);
    const known = new Map((await log.reports(runId)).map((event) => [event.sequence, event]));
    await step(2, [reported('d1')]);
    expect((await log.reports(runId, undefined, known)).length).toBe(4);
    expect([...known.keys()]).toEqual([2, 3, 6, 7]);
    const measured: NonNullable<MeasurementOptions['known']> = new Map();
    const read = async () =>
      (await log.measured(runId, { teams: [] }, { known: measured })).measurements;
    const { evidence, measurements } = await log.measured(runId, { teams: [] });
    expect([await read(), evidence]).toEqual([measurements, new Map([['t1', 5]])]);
    expect([...measured.keys()]).toEqual([5]);
    const results = async (under: string, ...left: number[]) =>
      (await log.results(runId, under, left)).events.map(({ sequence }) => sequence);
    expect(await results('t')).toEqual([5]);
    expect(await results('t', 5)).toEqual([]);
    expect(await results('u')).toEqual([]);
    measured.set(5, { sequence: 5 } as Measurement);
    expect(await read()).toEqual([{ sequence: 5 }]);
    expect((await log.events(runId, [3, 1])).map(({ sequence }) => sequence)).toEqual([1, 3]);
  });

  it('reads pages with the frame before them, and the tail with a chosen frame', async () => {
    await log.claim(runId, 'w');
    await step(1, [text('a'), text('b'), completed]);
    const all = await log.read(runId, 0, 100);
    expect([all.frames.length, all.before, all.lastSequence, all.sealed]).toEqual([
      4,
      undefined,
      4,
      true,
    ]);
    const page = await log.read(runId, 1, 2);
    expect(page).toEqual({
      before: all.frames[0],
      frames: all.frames.slice(1, 3),
      lastSequence: 4,
      sealed: true,
    });
    expect((await log.read(runId, 4, 2)).frames).toEqual([]);
    expect(await log.tail(runId)).toEqual({ lastSequence: 4, sealed: true });
    expect(await log.tail(runId, 2)).toEqual({
      lastSequence: 4,
      sealed: true,
      frame: all.frames[1],
    });
  });

  it('remembers the highest sequence that was lost', async () => {
    expect((await log.state(runId))?.lostUpTo).toBe(0);
    for (const seen of [7, 12, 9, 0]) await log.markLost(runId, seen);
    expect((await log.state(runId))?.lostUpTo).toBe(12);
    await log.claim(runId, 'w');
    await log.claim(runId, 'w');
    // An older writer that is late knows nothing of a loss.
    expect(await step(1, [text('x')], { seen: 30 })).toEqual({ kind: 'fenced' });
    expect((await log.state(runId))?.lostUpTo).toBe(12);
  });

  it('counts starts without progress', async () => {
    expect(await Promise.all([log.countStart(runId), log.countStart(runId)])).toEqual([1, 1]);
    expect(await log.hasMoved(runId)).toBe(false);
  });
}
