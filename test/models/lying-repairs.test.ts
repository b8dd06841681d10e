import { beforeEach, expect, it } from '@jest/globals';
import { expectValid, type CheckedEvent } from '../support/streams/event-stream.js';
import { call, FINE, say } from '../support/models/lies.js';
import { modelScene } from '../support/models/model-scene.js';
import { processManager, type ProcessManager } from '../support/programs/process-manager.js';
import { answer } from '../support/models/provider-server.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { roleOf } from '../support/models/scripted-agents.js';
import { erroring, healthy, httpTarget } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';

const scene = modelScene();
let manager: ProcessManager;
let topology: { id: number };
beforeEach(async () => {
  manager = await processManager(scene.targets);
  const attributes = { restartUrl: manager.url };
  const shop = await httpTarget(scene.targets, erroring);
  const stock = await httpTarget(scene.targets, healthy);
  topology = topologyOf({
    shop: { endpoint: shop.endpoint, dependsOn: ['stock'] },
    stock: { endpoint: stock.endpoint, attributes },
  });
});

/**
 * A run that may repair, whose agent at the top makes these calls after its teams have reported.
 */
async function repairing(...calls: Parameters<typeof answer>): Promise<CheckedEvent[]> {
  let turn = 0;
  scene.server.otherwise = (exchange) => {
    if (roleOf(exchange) !== 'global_supervisor') return runbookReply(exchange);
    turn += 1;
    if (turn === 1) return runbookReply(exchange);
    return turn === 2 ? answer(...calls)(exchange) : answer(FINE)(exchange);
  };
  const api = await scene.service(scene.models({ liar: {} }));
  const run = await api.trigger(await api.store(topology), { repair: true });
  return expectValid((await run.end()).text);
}

it('offers no approval if a model asks to restart a healthy node', async () => {
  const evidence = ['d1_1_t1', 'd1_2_t1'];
  const claim = { node: 'stock', severity: 'critical', title: 'stock is down', evidence };
  const events = await repairing(
    call('restart_process', { node: 'stock' }),
    say('The stock is down.', { findings: [claim], root_causes: [claim] }),
  );
  const keys = events.map(({ key }) => key);
  expect(keys).not.toContain('system.approval');
  expect(manager.asked).toEqual([]);
  const answers = events.filter(
    ({ key, data }) => key === 'llm.tool_result' && data['tool'] === 'restart_process',
  );
  expect(answers.map(({ data }) => [data['status'], JSON.stringify(data['result'])])).toEqual([
    ['error', expect.stringContaining('unhealthy')],
  ]);
  expect(events.at(-1)?.data['report']).toMatchObject({
    root_causes: [{ node: 'shop' }],
    counts: { critical: 1, warning: 0 },
  });
});
