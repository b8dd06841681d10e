import { beforeEach, expect, it } from '@jest/globals';
import { completed, spec } from '../../test/support/incidents/drafts.js';
import { MemoryAlertStore } from '../../test/support/memory/memory-alerts.js';
import { alertOf } from '../../test/support/suites/alert-store-suite.js';
import type { DraftEvent } from '../domain/events/event.js';
import { MemoryLog } from '../event-log/memory-log.js';
import type { RunControl } from '../runs/run-control.js';
import type { RunStarter } from '../runs/run-starter.js';
import type { StoredTopology } from '../topologies/stored-topology.js';
import type { Alert } from './alert.js';
import { AlertRuns } from './alert-runs.js';

let log: MemoryLog;
let store: MemoryAlertStore;
let starts: string[];
/** ms, of each start. */
let delays: (number | undefined)[];
let cancelled: string[];
let runs: AlertRuns;
/**
 * A process that dies after so many accesses to the store or the log; then it is left as it was.
 */
let stepsLeft: number;

class Died extends Error {}
const mortal = <T extends object>(target: T): T =>
  new Proxy(target, {
    get: (object, key) => {
      const value = Reflect.get(object, key) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (stepsLeft-- <= 0) throw new Died();
        return (value as (...all: unknown[]) => unknown).apply(object, args);
      };
    },
  });

/** New parts that know nothing. */
function makeParts(): void {
  [log, store] = [new MemoryLog(), new MemoryAlertStore()];
  [starts, delays, cancelled, stepsLeft] = [[], [], [], Infinity];
  const starter = {
    diagnosis: async (
      runId: string,
      _stored: unknown,
      wanted: { userMessage: string; notes: DraftEvent[] },
    ) => {
      await log.create(runId, { ...spec, userMessage: wanted.userMessage }, [
        { name: 'lifecycle.started', source: null, data: { kind: 'diagnosis' } as never },
        ...wanted.notes,
      ]);
      return {
        start: async (delayMs?: number) => {
          starts.push(runId);
          delays.push(delayMs);
        },
      };
    },
  } as unknown as RunStarter;
  const control = {
    cancel: async (runId: string) => void cancelled.push(runId),
  } as unknown as RunControl;
  runs = new AlertRuns(mortal(store), mortal(log), mortal(starter), mortal(control));
}
beforeEach(makeParts);

const take = (
  alerts: Alert[],
  { quietSince = 0, stormSince = Infinity, cancelOnResolve = false } = {},
) =>
  runs.take({
    source: 'alertmanager',
    stored: { topology: spec.topology, tenant: 'default' } as unknown as StoredTopology,
    routed: { topologyId: 1, alerts, nodes: [], teams: [], suspects: [], cancelOnResolve },
    leftOff: 0,
    startedBy: undefined,
    quietSince,
    stormSince,
  });
const runIdOf = async (alerts: Alert[], options = {}) => {
  const outcome = await take(alerts, options);
  return 'runId' in outcome ? outcome.runId : '';
};
async function codes(runId: string): Promise<string[]> {
  const { frames } = await log.read(runId, 0, 100);
  return frames.flatMap((frame) => /"code":"(\w+)"/.exec(frame.toString())?.[1] ?? []);
}
const end = (runId: string) => log.seal(runId, () => completed);
const resolved = (id: string) => alertOf(id, { status: 'resolved' });

it('starts one run for concurrent deliveries, each recorded in it', async () => {
  const outcomes = await Promise.all(['1', '2', '3'].map((id) => take([alertOf(id)])));
  const ids = new Set(outcomes.map((outcome) => 'runId' in outcome && outcome.runId));
  expect(ids.size).toBe(1);
  const [runId] = [...ids];
  expect(await codes(runId as string)).toEqual(['ALERT_FIRING', 'ALERT_FIRING', 'ALERT_FIRING']);
  expect((await store.alertsOf(runId as string)).size).toBe(3);
});

it('joins the run that runs: a repetition changes nothing, what is new is an event', async () => {
  const runId = await runIdOf([alertOf('1')]);
  expect(await take([alertOf('1')])).toEqual({ outcome: 'joined', runId });
  expect(await codes(runId)).toEqual(['ALERT_FIRING']);
  await take([alertOf('1'), alertOf('2')]);
  await take([resolved('1'), resolved('unknown')]);
  await take([alertOf('1', { startsAt: '2026-11-22T12:30:00Z' })]);
  expect(await codes(runId)).toEqual([
    'ALERT_FIRING',
    'ALERT_FIRING',
    'ALERT_RESOLVED',
    'ALERT_FIRING',
  ]);
});

it('keeps at most 1,000 alerts of a run', async () => {
  const storm = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => alertOf(`${name}${i}`));
  const runId = await runIdOf(storm('a', 999));
  expect(await take(storm('b', 2))).toEqual({ outcome: 'joined', runId });
  expect(await take(storm('c', 500))).toEqual({ outcome: 'joined', runId });
  expect(await take([resolved('a0')])).toEqual({ outcome: 'joined', runId });
  const kept = await store.alertsOf(runId);
  expect([kept.size, kept.has('b0'), kept.get('a0')?.status]).toEqual([1_000, true, 'resolved']);
  expect(await codes(runId)).toEqual(['ALERT_FIRING', 'ALERT_FIRING', 'ALERT_RESOLVED']);
});

it('appends at most 500 changes of alerts to the log of a run, and goes on keeping their state', async () => {
  const runId = await runIdOf([alertOf('1')]);
  for (let i = 0; i < 510; i++) await take([alertOf('1', { startsAt: String(i) })]);
  const { frames } = await log.read(runId, 0, 1_000);
  expect(frames.filter((frame) => frame.includes('ALERT_FIRING'))).toHaveLength(501);
  expect((await store.alertsOf(runId)).get('1')?.startsAt).toBe('509');
  await end(runId);
  expect(await take([alertOf('2')])).toMatchObject({ outcome: 'started' });
});

it('links to a run that ended recently and had the same alerts, and starts one for a new alert', async () => {
  const runId = await runIdOf([alertOf('1')]);
  await end(runId);
  expect(await take([alertOf('1')])).toEqual({ outcome: 'linked', runId });
  expect(await take([resolved('1')])).toEqual({ outcome: 'resolved', runId });
  expect((await store.alertsOf(runId)).get('1')?.status).toBe('resolved');
  const second = await runIdOf([alertOf('1'), alertOf('2')]);
  expect(second).not.toBe(runId);
  await end(second);
  expect(await runIdOf([alertOf('1')], { quietSince: Infinity })).not.toBe(second);
});

it('lets the next run of a storm begin when the storm is over, and further alerts join it', async () => {
  const first = await runIdOf([alertOf('1')]);
  await end(first);
  const { startedAt, createdAt } = (await log.state(first)) ?? { createdAt: 0 };
  const stormSince = (startedAt ?? createdAt) - 40_000;
  const second = await runIdOf([alertOf('2')], { stormSince });
  for (const id of ['3', '4', '5'])
    expect(await take([alertOf(id)], { stormSince })).toEqual({ outcome: 'joined', runId: second });
  expect(delays).toEqual([0, 40_000]);
  await end(second);
  await take([alertOf('6')], { stormSince: Date.now() + 1_000 });
  expect(delays).toEqual([0, 40_000, 0]);
});

it('starts a run for an alert that fires again after its run was cancelled because it had resolved', async () => {
  const runId = await runIdOf([alertOf('1')]);
  await take([resolved('1')], { cancelOnResolve: true });
  await log.seal(runId, () => ({
    name: 'lifecycle.cancelled',
    source: null,
    data: { reason: 'All alerts of this run have resolved', report: null },
  }));
  expect(await take([alertOf('1', { startsAt: 'later' })])).toMatchObject({ outcome: 'started' });
});

it('ignores resolved alerts without a run', async () => {
  expect(await take([resolved('1')])).toEqual({
    outcome: 'ignored',
    reason: 'resolved, and no run knows of it',
  });
  await end(await runIdOf([alertOf('1')]));
  expect(await take([resolved('2')])).toEqual({
    outcome: 'ignored',
    reason: 'resolved, and no run knows of it',
  });
});

it('cancels a run whose alerts have all resolved, if its routes say so', async () => {
  const runId = await runIdOf([alertOf('1'), alertOf('2')]);
  await take([resolved('1')], { cancelOnResolve: true });
  await take([resolved('2')]);
  expect(cancelled).toEqual([]);
  await take([resolved('2')], { cancelOnResolve: true });
  expect(cancelled).toEqual([runId]);
});

it('neither loses nor doubles an alert when its process dies after any step and the delivery is repeated', async () => {
  const deliveries: Alert[][] = [
    [alertOf('1')],
    [alertOf('1'), alertOf('2')],
    [resolved('1'), alertOf('2')],
  ];
  for (let most = 0; ; most++) {
    makeParts();
    let deaths = 0;
    for (const alerts of deliveries) {
      stepsLeft = most;
      await take(alerts).catch((error: unknown) => {
        if (!(error instanceof Died)) throw error;
        deaths++;
      });
      stepsLeft = Infinity;
      await take(alerts);
    }
    const runId = (await store.runOf({ tenant: 'default', id: 1 })) ?? '';
    expect(await codes(runId)).toEqual(['ALERT_FIRING', 'ALERT_FIRING', 'ALERT_RESOLVED']);
    // A run that was accepted and not queued is left to the sweeper.
    expect(starts.every((id) => id === runId)).toBe(true);
    if (deaths === 0) break;
  }
});
