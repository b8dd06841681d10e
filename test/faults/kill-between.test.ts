import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid } from '../support/streams/event-stream.js';
import { TcpProxy } from '../support/processes/tcp-proxy.js';
import { teamOfEach } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say } from './lib/cluster.js';

let proxy: TcpProxy;
let cluster: Cluster;
let api: Api;
beforeAll(async () => {
  const direct = process.env['TEST_REDIS_URL'] as string;
  proxy = await TcpProxy.to(direct);
  cluster = new Cluster(direct);
  api = new Api((await cluster.start('api')).url);
});
afterAll(async () => {
  await cluster.close();
  await proxy.close();
});

/** What Redis has of a run while no process works on it. */
interface Found {
  /** Keys of the events in its log. */
  events: string[];
  /** State of each of its jobs, by role. */
  jobs: Record<string, string[]>;
  /** Whether its top agent was claimed. */
  isClaimed: boolean;
}

async function findRun(runId: string): Promise<Found> {
  const own = `${cluster.prefix}:{${runId}}`;
  const log = await cluster.store.xrange(`${own}:log`, '-', '+');
  const jobs: Found['jobs'] = {};
  for (const queue of cluster.queues) {
    const all = await queue.getJobs();
    const states = all.filter(({ id }) => id?.startsWith(runId)).map((job) => job.getState());
    jobs[queue.name] = await Promise.all(states);
  }
  return {
    events: log.map(([, fields]) => /event: (\S+)/.exec(fields.join('\n'))?.[1] ?? ''),
    jobs,
    isClaimed: (await cluster.store.hkeys(`${own}:writers`)).some((key) => key.startsWith('top')),
  };
}

test.each<[string, RegExp, (found: Found) => void]>([
  [
    'after a team was recorded as sent, before its job was there',
    /"dispatchId":"d1"/,
    ({ events, jobs }) => {
      expect(events).toContain('dispatch.team');
      expect(jobs).toMatchObject({ 'global-supervisor': ['active'], 'team-supervisor': [] });
    },
  ],
  [
    // Of the first one, whichever it is: no worker can be in the middle of its tool yet.
    'after a worker was recorded as sent, before its job was there',
    /"dispatchId":"d\d_1"/,
    ({ events, jobs }) => {
      expect(events).toContain('dispatch.worker');
      expect(jobs['team-supervisor']).toContain('active');
      expect(jobs['worker']).toEqual([]);
    },
  ],
  [
    'after the jobs were there, before the supervisor was parked',
    // The keys of the command that parks; adding a child names the list of parked jobs, too.
    /:active\r\n\S+\r\n\S+:waiting-children\r\n/,
    ({ jobs }) => {
      expect(jobs['global-supervisor']).toEqual(['active']);
      expect(jobs['team-supervisor']).toHaveLength(2);
    },
  ],
  [
    'after the last report, before the end of the run was recorded',
    /lifecycle\.completed/,
    ({ events, jobs }) => {
      expect(events.filter((key) => key === 'dispatch.report')).toHaveLength(4);
      expect(events).not.toContain('lifecycle.completed');
      expect(jobs).toMatchObject({ 'global-supervisor': ['active'], 'team-supervisor': [] });
    },
  ],
  [
    'with the run in its hands, before it had claimed it',
    /\r\ntop\r\n/,
    ({ jobs, isClaimed }) => {
      expect(jobs['global-supervisor']).toEqual(['active']);
      expect(isClaimed).toBe(false);
    },
  ],
])('a worker killed %s dispatches no agent twice and forgets none', async (name, pattern, isAt) => {
  // Only what this process writes to Redis goes through the proxy.
  const victim = await cluster.start('worker', { REDIS_URL: proxy.url });
  const id = await api.store(
    teamOfEach({
      web: scriptedNode('touch', { mark: `${name} web` }),
      db: scriptedNode('touch', { mark: `${name} db` }),
    }),
  );
  const caught = proxy.trap(pattern);
  const run = await api.trigger(id, say({ mark: name }));
  await caught;
  await victim.end();
  // No other process works on the run: it stays as the kill has left it.
  isAt(await findRun(run.runId));
  const heir = await cluster.start('worker');
  const events = expectValid((await run.end()).text);
  await heir.end('SIGTERM');
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  const dispatched = events.filter(
    ({ key }) => key === 'dispatch.team' || key === 'dispatch.worker',
  );
  expect(dispatched.map(({ data }) => data['dispatch_id']).toSorted()).toEqual([
    'd1',
    'd1_1',
    'd2',
    'd2_1',
  ]);
  for (const node of ['web', 'db'])
    expect(
      await cluster.control.observations({ event: 'tool-began', mark: `${name} ${node}` }),
    ).toHaveLength(1);
  expect(events.filter(({ data }) => data['code'] === 'AGENT_RESUMED').length).toBeLessThanOrEqual(
    4,
  );
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});
