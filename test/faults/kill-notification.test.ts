import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid } from '../support/streams/event-stream.js';
import { TcpProxy } from '../support/processes/tcp-proxy.js';
import { topologyOf } from '../support/incidents/topology.js';
import { Cluster, scriptedNode, say } from './lib/cluster.js';

let proxy: TcpProxy;
let cluster: Cluster;
let api: Api;
let folder: string;

/** A rule for workers, in the file that all processes have. */
function rule(id: string, trigger: string, action: string): void {
  const head = `[rule]\nid = "${id}"\nname = "x"\ndescription = "x"\nversion = "1.0.0"\ntrigger = "${trigger}"\n`;
  writeFileSync(
    join(folder, `${id}.toml`),
    `${head}[condition]\nexpression = 'agent.type == "worker"'\n[action]\n${action}\n`,
  );
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kill-notification-'));
  rule(
    'now',
    'on_tool_complete',
    'type = "notify_self"\nmessage = "{{agent.name}} has looked"\ndeliver_at = "after_tool"',
  );
  const direct = process.env['TEST_REDIS_URL'] as string;
  proxy = await TcpProxy.to(direct);
  cluster = new Cluster(direct);
  api = new Api((await cluster.start('api', { RULES_DIR: folder })).url);
});
afterAll(async () => {
  await cluster.close();
  await proxy.close();
  rmSync(folder, { recursive: true });
});

test('delivers a notification once if its process is killed before the delivery is recorded', async () => {
  const name = 'killed';
  // Only what this process writes to Redis goes through the proxy.
  const victim = await cluster.start('worker', { REDIS_URL: proxy.url });
  const id = await api.store(
    topologyOf({
      web: scriptedNode('look', { mark: `${name} web` }),
      db: scriptedNode('look', { mark: `${name} db` }),
    }),
  );
  const caught = proxy.trap(/\[system notification\]/);
  const run = await api.trigger(id, say({ mark: name }));
  await caught;
  const heir = cluster.start('worker');
  await victim.end();
  const events = expectValid((await run.end()).text);
  await (await heir).end('SIGTERM');
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });

  const workers = events.flatMap(({ key, source }) =>
    key === 'dispatch.report' && source.agent_type === 'worker' ? [source.agent_name] : [],
  );
  expect(workers).toHaveLength(2);
  const asked = await cluster.control.observations({ event: 'model-began', mark: name });
  for (const who of ['worker:web', 'worker:db']) {
    const [first, ...later] = asked
      .filter((observation) => observation.who === who)
      .toSorted((a, b) => a.nth - b.nth);
    expect(first?.notes).toEqual([]);
    // Also where the same turn was asked for twice: the second time with the same words.
    expect(later.length).toBeGreaterThan(0);
    for (const { notes = [] } of later) expect(notes.join().split('has looked')).toHaveLength(2);
  }
});
