import { expect, it } from '@jest/globals';
import { ask } from '../support/chat.js';
import { call } from '../support/models/lies.js';
import { modelScene } from '../support/models/model-scene.js';
import { answer } from '../support/models/provider-server.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { roleOf } from '../support/models/scripted-agents.js';
import { closedPort } from '../support/loopback.js';
import { topologyOf } from '../support/incidents/topology.js';

const scene = modelScene(runbookReply);

it('a chat about no topology sends a provider no address of the runs that it reads', async () => {
  const address = `127.0.0.1:${await closedPort()}`;
  const api = await scene.service(scene.models({ m: {} }));
  const id = await api.store(topologyOf({ shop: { endpoint: `http://${address}` } }));
  const run = await api.trigger(id);
  const { text } = await run.end();
  expect(text).toContain(`Expected a connection to ${address}`);

  const seen: string[] = [];
  scene.server.otherwise = (exchange) => {
    if (roleOf(exchange) !== 'oracle') return runbookReply(exchange);
    seen.push(JSON.stringify(exchange.body));
    if (seen.length > 1) return answer({ text: 'It is down.' })(exchange);
    return answer(
      call('list_runs', {}),
      call('get_run', { run_id: run.runId, about: 'shop' }),
      call('read_log', { run_id: run.runId, limit: 20, text: 'refused' }),
    )(exchange);
  };
  await ask(`${api.url}/chat/stream`, { message: 'What is wrong?' });
  expect(seen).toHaveLength(2);
  expect(seen[1]).toContain('<endpoint of shop>');
  expect(seen[1]).toContain('<host>');
  expect(seen.join('\n')).not.toContain(address);
});
