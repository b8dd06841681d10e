import { expect, test } from '@jest/globals';
import { makeApiKey } from '../../src/http/access/api-key.js';
import type { Api } from '../support/api.js';
import { bearer } from '../support/processes/keyed-service.js';
import { modelScene } from '../support/models/model-scene.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { until } from '../support/until.js';

const scene = modelScene(runbookReply);
const { key: admin } = makeApiKey();
const DAY_MS = 86_400_000;
const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** A service whose model costs half of a day's limit with each call. */
const service = () =>
  scene.service({
    ...scene.models({ m: { prices: { input: 50_000, output: 0 } } }),
    AUTH: 'keys',
    AUTH_BOOTSTRAP_KEY_FILE: scene.write('key', admin),
    COST_PER_DAY: '1',
    EGRESS_ALLOW: '127.0.0.0/8',
  });

/** A key of a tenant with a topology, and what that tenant does. */
async function principal(api: Api, tenant: string) {
  const { data } = await api.ask<{ key: string }>('POST', '/keys', {
    body: { name: tenant, role: 'admin', tenant },
    headers: bearer(admin),
  });
  const headers = bearer(data.key);
  const topology = await scene.shop();
  await api.ask('POST', '/topologies', { body: topology, headers });
  return {
    start: () =>
      api.ask<{ runId: string; limit?: number; usage?: number }>('POST', '/executions/trigger', {
        body: { topologyId: topology.id, userMessage: 'Is it well?' },
        headers,
      }),
    cost: async (runId: string) => {
      let cost = 0;
      await until('the run has ended', async () => {
        const run = await api.ask<{ status: string; usage: { cost: number } }>(
          'GET',
          `/executions/${runId}`,
          { headers },
        );
        cost = run.data.usage.cost;
        return run.data.status === 'completed';
      });
      return cost;
    },
    /** Of the format `chat`: a refusal is the only event of a stream. */
    ask: () =>
      fetch(`${api.url}/chat/stream`, {
        method: 'POST',
        body: JSON.stringify({ message: 'Hello' }),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}

test('a tenant whose models have cost the limit of a day starts no more runs before the next', async () => {
  const api = await service();
  const acme = await principal(api, 'acme');
  const first = await acme.start();
  expect(first.status).toBe(202);
  const cost = await acme.cost(first.data.runId);
  expect(cost).toBeGreaterThanOrEqual(1);

  const before = Date.now();
  const refused = await acme.start();
  expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMITED', data: { limit: 1 } });
  expect(refused.data.usage).toBeCloseTo(cost, 6);
  expect(refused.text).toContain('Your tenant has used its cost of today (1)');
  // Until midnight of UTC.
  const left = (DAY_MS - (before % DAY_MS)) / 1_000;
  const seconds = Number(refused.headers.get('retry-after'));
  expect(Math.abs((seconds - left) % 86_400)).toBeLessThan(30);
  expect(refused.headers.get('ratelimit')).toMatch(/^"cost";r=0;t=\d+$/);
  expect(refused.headers.get('ratelimit-policy')).toMatch(/^"cost";q=1/);
  const chat = await acme.ask();
  expect([chat.status, await chat.text()]).toEqual([
    200,
    expect.stringMatching(/"type":"rate_limit_exceeded","message":"[^"]*cost of today/) as unknown,
  ]);
  expect((await (await principal(api, 'globex')).start()).status).toBe(202);

  // As if a day had passed: what was spent is that of yesterday.
  const { redis } = scene.scene.redis;
  const [spent = ''] = await redis.keys(`*acme*:usage:${day(before)}`);
  await redis.rename(spent, spent.replace(day(before), day(before - DAY_MS)));
  expect((await acme.start()).status).toBe(202);
});
