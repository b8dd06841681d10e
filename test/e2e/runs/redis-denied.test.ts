import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Command } from '../../support/processes/command.js';
import { startServiceOfUser } from '../../support/processes/service-of-user.js';
import { until } from '../../support/until.js';

let admin: Redis;
let service: Command;
let url: string;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ admin, service, url, close } = await startServiceOfUser({
    TOPOLOGIES_DIR: 'examples/topologies',
  }));
});
afterAll(() => close());

async function trigger(key?: string) {
  const response = await fetch(`${url}/api/service/v1/executions/trigger`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify({ topologyId: 1, userMessage: 'Is it slow?' }),
  });
  const { code } = (await response.json()) as { code: string };
  return { status: response.status, code, later: Number(response.headers.get('retry-after')) };
}

const ready = async () => (await fetch(`${url}/health/ready`)).status;

const UNAVAILABLE = { status: 503, code: 'UNAVAILABLE', later: expect.any(Number) };

test.each(['xadd', 'hset', 'publish'])(
  'a user that may not run %s in a script is 503, and leaves no run behind',
  async (command) => {
    const runs = async () => (await admin.keys('*:state')).length;
    const before = await runs();
    await admin.call('ACL', 'SETUSER', 'shop', `-${command}`);
    const key = `without-${command}`;
    expect(await trigger(key)).toEqual(UNAVAILABLE);
    expect(await runs()).toBe(before);
    await service.printed(new RegExp(`Redis denies this service access: NOPERM[^"]*'${command}'`));
    await service.printed(new RegExp(`Grant \\+${command} to the user in REDIS_URL`));
    expect(await ready()).toBe(503);
    await admin.call('ACL', 'SETUSER', 'shop', `+${command}`);
    expect(await ready()).toBe(200);
    expect(await trigger(key)).toMatchObject({ status: 202 });
  },
);

test('a user without a right to the keys makes the service not ready until it is back', async () => {
  await admin.call('ACL', 'SETUSER', 'shop', 'resetkeys', '~other:*');
  expect(await trigger()).toEqual(UNAVAILABLE);
  expect(await ready()).toBe(503);
  await admin.call('ACL', 'SETUSER', 'shop', '~*');
  expect(await ready()).toBe(200);
  expect(await trigger()).toMatchObject({ status: 202 });
});

test('a user that lacks a right, or whose password is refused, is 503 and one log line that names it', async () => {
  expect(await trigger()).toMatchObject({ status: 202 });
  await admin.call('ACL', 'SETUSER', 'shop', '-evalsha', '-eval', '-fcall');
  for (let time = 0; time < 3; time++) {
    const refused = await trigger();
    expect(refused).toEqual(UNAVAILABLE);
    expect(refused.later).toBeGreaterThan(0);
  }
  const said = await service.printed(/NOPERM[^"]*evalsha/);
  const named = said.split('\n').filter((line) => /NOPERM[^"]*evalsha/.test(line));
  expect(named).toHaveLength(1);
  await admin.call('ACL', 'SETUSER', 'shop', '+@all');
  await until('runs are accepted', async () => (await trigger()).status === 202);

  await admin.call('ACL', 'SETUSER', 'shop', 'resetpass', '>other');
  await admin.call('CLIENT', 'KILL', 'USER', 'shop');
  await until('refused', async () => (await trigger()).status === 503);
  expect(await trigger()).toEqual(UNAVAILABLE);
  const after = await service.printed(/Redis denies this service access: (WRONGPASS|NOAUTH)/);
  expect(after.split('\n').filter((line) => line.includes('WRONGPASS'))).toHaveLength(1);
  await admin.call('ACL', 'SETUSER', 'shop', '>right');
  await until('runs are accepted again', async () => (await trigger()).status === 202);
});
