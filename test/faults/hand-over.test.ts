import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid, logOf, type EventStream } from '../support/streams/event-stream.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say } from './lib/cluster.js';
import { HurtRedis } from './lib/hurt-redis.js';

let cluster: Cluster;
beforeEach(() => void (cluster = new Cluster()));
afterEach(() => cluster.close());

const completed = (text: string, partial = false) => {
  const events = expectValid(text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial } });
  return events;
};

/**
 * A busy machine must not lose a lock: here a process gives its jobs back before its locks expire.
 */
const LASTING_LOCKS = { LOCK_MS: '60000' };
/**
 * However busy the machine is, a tool that runs has ended before its work is handed over. Otherwise
 * the call is `interrupted`, and a supervisor that sends its worker again has the tool run once
 * more.
 */
const LASTING_GRACE = { SHUTDOWN_GRACE_SECONDS: '600' };

test('SIGTERM during 20 runs ends streams between two frames, and clients resume elsewhere without loss or repetition', async () => {
  const old = await cluster.start('all', { ...LASTING_LOCKS, ...LASTING_GRACE });
  const id = await new Api(old.url).store(
    topologyOf({
      web: scriptedNode('touch', { mark: 'web', takes: 300 }),
      db: scriptedNode('look', { mark: 'db', takes: 100 }),
    }),
  );
  const runs = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      new Api(old.url).trigger(id, say({ mark: `deploy ${i}`, slow: 10 })),
    ),
  );
  await until(
    'some are in their tools',
    async () => (await cluster.control.observations({ event: 'tool-began' })).length > 10,
  );
  const fresh = await cluster.start('all', LASTING_LOCKS);
  const ended = old.end('SIGTERM');
  const resume = async (run: EventStream): Promise<string> => {
    await run.end();
    // Comments and `retry:` aside, it ends where a frame does.
    expect(run.text.endsWith('\n\n')).toBe(true);
    if (run.text.includes('event: lifecycle.completed')) return run.log;
    const rest = await new Api(fresh.url).follow(run.runId, {
      'last-event-id': String(run.lastSequence),
    });
    return run.log + logOf((await rest.end()).text);
  };
  const logs = await Promise.all(runs.map(resume));
  expect(await ended).toBe(0);
  for (const [i, log] of logs.entries()) {
    const events = completed(log);
    expect(events.filter(({ data }) => data['code'] === 'AGENT_RESUMED')).toEqual([]);
    // Each tool call in the log is an execution.
    const results = events.filter(({ key }) => key === 'llm.tool_result');
    expect(results.map(({ data }) => data['status'])).toEqual(['ok', 'ok']);
    expect(events.filter(({ key }) => key === 'llm.tool_call')).toHaveLength(2);
    expect(await new Api(fresh.url).log(runs[i]?.runId ?? '')).toBe(log);
  }
  expect(await cluster.control.observations({ event: 'tool-began', mark: 'web' })).toHaveLength(20);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

test('work that exceeds the grace period is handed over: unsafe tool calls are not repeated, model calls are', async () => {
  const api = new Api((await cluster.start('api')).url);
  const old = await cluster.start('worker', LASTING_LOCKS);
  const touched = await api.trigger(
    await api.store(topologyOf({ db: scriptedNode('touch', { mark: 'long', gate: 'long' }) })),
    say({ mark: 'long' }),
  );
  const looked = await api.trigger(
    await api.store(topologyOf({ db: scriptedNode('look', { mark: 'again', gate: 'again' }) })),
    say({ mark: 'again' }),
  );
  const id = await api.store(topologyOf({ db: scriptedNode('look', { mark: 'thought' }) }));
  const thinking = await api.trigger(
    id,
    say({ mark: 'thought', hold: { who: 'worker:db', turn: 2, gate: 'thought' } }),
  );
  for (const mark of ['long', 'again']) await cluster.observed({ event: 'tool-began', mark });
  await thinking.has('Let me think.');
  await cluster.start('worker', LASTING_LOCKS);
  expect(await old.end('SIGTERM')).toBe(0);
  for (const gate of ['long', 'again', 'thought']) await cluster.control.open(gate);
  const events = completed((await touched.end()).text);
  // Interrupted once; the team has sent its worker again, and that is another call.
  expect(
    events.filter(({ key }) => key === 'llm.tool_result').map(({ data }) => data['status']),
  ).toEqual(['interrupted', 'ok']);
  completed((await looked.end()).text);
  expect(await cluster.control.observations({ event: 'tool-began', mark: 'again' })).toHaveLength(
    2,
  );
  const attempts = completed((await thinking.end()).text)
    .filter(
      ({ key, data }) =>
        key === 'llm.stream' && data['dispatch_id'] === 'd1_1' && data['turn'] === 2,
    )
    .map(({ data }) => data['attempt']);
  expect([...new Set(attempts)]).toEqual([1, 2]);
  // Not found as lost after a while: handed over.
  for (const run of [touched, looked, thinking]) expect(run.text).not.toContain('AGENT_RESUMED');
});

test('a process ends at SIGTERM while Redis is unavailable, and another continues its work', async () => {
  const redis = await HurtRedis.start();
  const hurt = new Cluster(redis.url);
  try {
    const [front, old] = await Promise.all([hurt.start('api'), hurt.start('worker')]);
    const api = new Api(front.url);
    const run = await api.trigger(
      await api.store(topologyOf({ db: scriptedNode('look', { mark: 'dark', gate: 'dark' }) })),
      say({ mark: 'dark' }),
    );
    await hurt.observed({ event: 'tool-began', mark: 'dark' });
    await redis.kill();
    const ended = old.end('SIGTERM');
    await until('its end', () => !old.isAlive);
    await ended;
    await redis.restart();
    await hurt.control.open('dark');
    await hurt.start('worker');
    completed((await run.end()).text);
  } finally {
    await hurt.close();
    await redis.close();
  }
});
