import { expect, it } from '@jest/globals';
import type { Report } from '../../src/domain/diagnosis/finding.js';
import { call } from '../support/models/lies.js';
import { modelScene } from '../support/models/model-scene.js';
import { answer, type Reply } from '../support/models/provider-server.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { roleOf } from '../support/models/scripted-agents.js';
import { erroring, healthy, httpTarget, type Target } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';

const scene = modelScene();

/** A worker calls for 200 connections in each turn, and never looks at what the service answers. */
const flood: Reply = (exchange) => {
  if (roleOf(exchange) !== 'worker') return runbookReply(exchange);
  const [, node] = /\\"node\\":\{\\"id\\":\\"(\w+)\\"/.exec(JSON.stringify(exchange.body)) ?? [];
  const calls = Array.from({ length: 200 }, (_, i) =>
    call('tcp_probe', { node, tries: 1 + (i % 3) }),
  );
  return answer(...calls)(exchange);
};

async function diagnose(env: Record<string, string>) {
  scene.server.otherwise = flood;
  const { targets } = scene;
  const names = ['ok1', 'bad', 'ok2', 'ok3'];
  const nodes: Record<string, Target> = {};
  for (const name of names)
    nodes[name] = await httpTarget(targets, name === 'bad' ? erroring : healthy);
  const workers = names.map((node, i) => ({
    agentId: `${i + 3}`,
    name: `Worker of ${node}`,
    node,
    tools: ['http_probe', 'tcp_probe'],
    model: 'flood',
  }));
  const supervisor = { agentId: '2', name: 'Lead' };
  const topology = topologyOf(nodes, {
    globalSupervisor: { agentId: '1', name: 'Head' },
    teams: [{ name: 'Team', nodes: names, supervisor, workers }],
  });
  const service = await scene.service({ ...scene.models({ top: {}, flood: {} }), ...env });
  return scene.diagnose(service, topology);
}

it.each([
  ['of a model', {}],
  ['of the built-in planner', { MODEL: 'runbook' }],
])('workers that fill the log do not change the verdict below supervisors %s', async (_, env) => {
  const events = await diagnose({ LOG_MAX_EVENTS: '1200', ...env });
  const { key, data } = events.at(-1) as (typeof events)[number];
  expect([key, data['partial'], data['reasons']]).toEqual([
    'lifecycle.completed',
    true,
    expect.arrayContaining(['LOG_LIMIT']),
  ]);
  const report = data['report'] as unknown as Report;
  expect(report).toMatchObject({ verdict: 'root_cause_found', root_causes: [{ node: 'bad' }] });
  expect(report.unchecked).toEqual([]);
  const said = events.filter((event) => event.data['limit_type'] === 'log');
  expect(said).toHaveLength(1);
});
