import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { QUEUE_NAMES } from '../../../src/queues/job-ids.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { BullmqQueue } from '../../support/parts.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget, silent, type Behaviour } from '../../support/processes/target.js';
import { teamOfEach, topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
let queues: Queue[];
const target = (behaviour: Behaviour) => httpTarget(scene.targets, behaviour);
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({ WORKER_CONCURRENCY: '2' });
  const connection = { url: scene.redis.url };
  queues = Object.values(QUEUE_NAMES).map(
    (name) => new Queue(name, { connection, prefix: `{${scene.redis.prefix}}` }),
  );
});
afterAll(async () => {
  await Promise.all(queues.map((queue) => queue.close()));
  await scene.close();
});

/** Jobs of any state in all queues. */
const jobs = async (): Promise<number> => {
  const counts = await Promise.all(queues.map((queue) => queue.getJobCountByTypes()));
  return counts.reduce((sum, count) => sum + count, 0);
};

const content = 'Execution was cancelled by user';

describe('while tools wait for targets that never answer', () => {
  test('seals the log, aborts probes, removes queued jobs, and returns the same when repeated', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'] as const;
    const targets = await Promise.all(names.map(() => target(silent)));
    const nodes = Object.fromEntries(names.map((name, i) => [name, targets[i] ?? {}]));
    const run = await api.trigger(await api.store(teamOfEach(nodes)));
    // Two workers may run at once: two probes are in flight, three jobs wait.
    await until('two probes in flight', () => targets.filter(({ hits }) => hits > 0).length === 2);
    expect(await jobs()).toBeGreaterThan(6);

    const first = await api.cancel(run.runId);
    // The log is sealed by now, not only soon.
    const sealed = await api.show(run.runId);
    expect(sealed).toMatchObject({
      status: 'cancelled',
      partial: false,
      report: { root_causes: [], verdict: 'inconclusive' },
    });
    const { timestamp } = first.data;
    expect(first).toMatchObject({ status: 200, code: 'SUCCESS', message: 'Execution cancelled' });
    expect(first.data).toEqual({ type: 'cancelled', runId: run.runId, content, timestamp });

    const events = expectValid((await run.end()).text);
    const last = events.at(-1);
    expect(last).toMatchObject({
      key: 'lifecycle.cancelled',
      source: null,
      timestamp,
      sequence: sealed.lastSequence,
    });
    expect(sealed.endedAt).toBe(timestamp);

    await until('no connection to any target', () =>
      targets.every(({ connections }) => connections === 0),
    );
    await until('no job', async () => (await jobs()) === 0);
    await until('quiesced', async () => (await api.show(run.runId)).quiesced);
    expect(targets.filter(({ hits }) => hits > 0)).toHaveLength(2);

    const again = await api.cancel(run.runId);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(await api.log(run.runId)).toBe(run.log);
  });

  test('does not look for jobs of a run again once none is left', async () => {
    const run = await api.trigger(await api.store(topologyOf({ slow: await target(silent) })));
    await api.cancel(run.runId);
    await until(
      'it is closed',
      async () =>
        !(await scene.redis.redis.zscore(
          `${scene.redis.prefix}:{index}:open`,
          `${run.runId}:${(await api.show(run.runId)).topologyId}`,
        )),
    );
    const removed = jest.spyOn(BullmqQueue.prototype, 'remove');
    expect(await api.show(run.runId)).toMatchObject({
      status: 'cancelled',
      quiesced: true,
      stopping: [],
    });
    expect(removed).not.toHaveBeenCalled();
    removed.mockRestore();
  });

  test('returns one response to concurrent cancels and writes one terminal event', async () => {
    const slow = await target(silent);
    const run = await api.trigger(await api.store(topologyOf({ slow })));
    await until('a probe in flight', () => slow.hits > 0);
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.cancel(run.runId)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expectValid((await run.end()).text);
    expect(run.text.match(/^event: lifecycle\.(completed|failed|cancelled)$/gm)).toEqual([
      'event: lifecycle.cancelled',
    ]);
  });
});

test('prevents a queued run from running', async () => {
  const other = new Scene();
  try {
    const lonely = await other.service({ ROLE: 'api' });
    const one = await httpTarget(other.targets, healthy);
    const run = await lonely.trigger(await lonely.store(topologyOf({ one })));
    await run.has('event: system.topology');
    expect(await lonely.cancel(run.runId)).toMatchObject({ status: 200 });
    const events = expectValid((await run.end()).text);
    expect(events.map(({ key }) => key)).toEqual([
      'lifecycle.started',
      'system.topology',
      'lifecycle.cancelled',
    ]);
    await until('quiesced', async () => (await lonely.show(run.runId)).quiesced);
    expect(one.hits).toBe(0);
  } finally {
    await other.close();
  }
});

test('of a run that has completed is refused', async () => {
  const run = await (
    await api.trigger(await api.store(topologyOf({ api: await target(healthy) })))
  ).end();
  const answer = await api.cancel(run.runId);
  expect(answer).toMatchObject({
    status: 409,
    code: 'CANCEL_FAILED',
    message: 'Execution already completed',
    data: null,
  });
  expect(await api.log(run.runId)).toBe(run.log);
});

test('races with completion: either answer is true to the log', async () => {
  const id = await api.store(topologyOf({ api: await target(healthy) }));
  await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const run = await api.trigger(id);
      await run.has(
        [
          'system.topology',
          'dispatch.team',
          'dispatch.worker',
          'llm.tool_result',
          'dispatch.report',
          'Found ',
        ][i % 6] as string,
      );
      const { status } = await api.cancel(run.runId);
      const events = expectValid((await run.end()).text);
      expect([status, events.at(-1)?.key]).toEqual([
        status,
        status === 200 ? 'lifecycle.cancelled' : 'lifecycle.completed',
      ]);
    }),
  );
});

test('of an unknown run is 404', async () => {
  for (const runId of [
    randomUUID(),
    'no-such-run',
    '../../etc/passwd',
    '{index}',
    '*',
    'x'.repeat(5_000),
    '',
  ])
    expect(await api.cancel(runId)).toMatchObject({
      status: 404,
      code: 'RUN_NOT_FOUND',
      data: null,
    });
});
