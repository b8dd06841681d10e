import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../support/api.js';
import { startService, type Service } from '../../src/service.js';
import { expectValid } from '../support/event-stream.js';
import { brokenTool, largeTool } from '../support/large-tool.js';
import { answer, startProviderServer, type ProviderServer } from '../support/provider-server.js';
import { isLibrarian, runbookReply } from '../support/runbook-provider.js';
import { Scene } from '../support/scene.js';
import { roleOf } from '../support/scripted-agents.js';
import { healthy, httpTarget } from '../support/target.js';
import { topologyOf } from '../support/topology.js';
import { until } from '../support/until.js';

let scene: Scene;
let server: ProviderServer;
let folder: string;
let services: Service[];
beforeEach(async () => {
  scene = new Scene();
  server = await startProviderServer();
  folder = mkdtempSync(join(tmpdir(), 'consilium-models-'));
  services = [];
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
  await scene.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<Service> {
  const file = join(folder, 'models.yaml');
  writeFileSync(
    file,
    `models:\n  - { name: small, provider: openai-compatible, model: m, baseUrl: ${server.url}, contextWindow: 16000 }\n`,
  );
  const env = {
    ...{ PORT: '0', REDIS_URL: scene.redis.url, REDIS_PREFIX: scene.redis.prefix, TOPOLOGIES_DIR: folder, LOG_LEVEL: 'silent' },
    ...{ SHUTDOWN_GRACE_SECONDS: '0', MODELS_FILE: file, MODEL: 'small' },
  };
  const service = await startService(env, { tools: [largeTool(60_000, 7), brokenTool] });
  services.push(service);
  return service;
}

it('a process that is shut down in the middle: the librarian goes on where it was, and nothing is lost or told twice', async () => {
  const librarian: string[] = [];
  const worker: string[] = [];
  server.otherwise = (exchange) => {
    const text = JSON.stringify(exchange.body);
    if (isLibrarian(exchange)) {
      librarian.push(/characters (\d+) to/.exec(text)?.[1] ?? '');
      // The second part is never answered, the first time.
      if (librarian.length === 2) return;
      return answer({ text: 'Nothing of note.' })(exchange);
    }
    if (roleOf(exchange) !== 'worker') return runbookReply(exchange);
    worker.push(text);
    const args = '{"node":"shop","part":1}';
    return worker.length === 1
      ? answer({ call: 'broken_probe', args: '{"node":"shop"}', id: 'a' }, { call: 'big_read', args, id: 'b' })(exchange)
      : answer({ call: 'report', args: '{"summary":"Looked at.","findings":[]}', id: 'c' })(exchange);
  };
  const first = await start();
  const api = new Api(first.url);
  const id = await api.store(topologyOf({ shop: await httpTarget(scene.targets, healthy) }));
  const runId = await api.accept(id);
  await until('the librarian waits for its second answer', () => librarian.length === 2);
  await first.close();
  services = [];

  const again = new Api((await start()).url);
  await again.reaches(runId, 'completed');
  const events = expectValid(await again.log(runId));
  const parts = new Set(librarian);
  expect(librarian.length).toBe(parts.size + 1);
  expect(librarian.filter((part) => part === librarian[0])).toHaveLength(1);
  expect(events.filter(({ data }) => data['dispatch_id'] === 'd1_1_l1').map(({ key }) => key)).toEqual([
    'dispatch.worker',
    ...[...parts].map(() => 'llm.usage'),
    'dispatch.report',
  ]);
  expect(worker[1]?.split('tool_fail: broken_probe error - it is broken')).toHaveLength(2);
});
