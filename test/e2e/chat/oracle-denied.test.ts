import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Command } from '../../support/processes/command.js';
import {
  COMMANDS_OF_AN_ANSWER,
  startServiceOfUser,
} from '../../support/processes/service-of-user.js';
import { until } from '../../support/until.js';

let admin: Redis;
let service: Command;
let url: string;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ admin, service, url, close } = await startServiceOfUser({
    TOPOLOGIES_DIR: 'test/support',
    SWEEP_SECONDS: '1',
  }));
  const stored = await post('/api/service/v1/topologies', {
    id: 7,
    name: 'Shop',
    limits: { timeoutSeconds: 10 },
    nodes: [{ id: 'db', name: 'DB', kind: 'tcp', endpoint: '127.0.0.1:9' }],
  });
  expect(stored.status).toBe(201);
});
afterAll(() => close());

const post = (path: string, body: object) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
async function ask() {
  const response = await post('/api/oracle', {
    question: 'What was the last root cause?',
    project_id: '7',
  });
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code, later: Number(response.headers.get('retry-after')) };
}

beforeEach(() => until('the oracle answers', async () => (await ask()).status === 200));

test.each(COMMANDS_OF_AN_ANSWER)(
  'a question is 503 UNAVAILABLE while Redis denies %s',
  async (command) => {
    await admin.call('ACL', 'SETUSER', 'shop', `-${command}`);
    try {
      expect(await ask()).toEqual({ status: 503, code: 'UNAVAILABLE', later: expect.any(Number) });
      const named = new RegExp(`Redis denies this service access:.*\\b${command}\\b`, 'i');
      await until(
        'the right in the log',
        async () => named.test(await service.printed(/^/)),
        30_000,
      );
    } finally {
      await admin.call('ACL', 'SETUSER', 'shop', `+${command}`);
    }
  },
);
