import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { parse } from 'yaml';
import { makeApiKey } from '../../src/http/access/api-key.js';
import { startPrivateRedis, type PrivateRedis } from '../../src/local/private-redis.js';
import { Api } from '../support/api.js';
import { startCommandWith, type Command } from '../support/processes/command.js';
import { expectValid } from '../support/streams/event-stream.js';
import { Loopback } from '../support/loopback.js';
import { healthy, httpTarget } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';

const compose = parse(readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8'), {
  merge: true,
}) as { services: { redis: { command: string[] } } };

/** The arguments of the Redis of docker-compose.yml that make its users, with their passwords. */
function users(passwords: Record<string, string>): string[] {
  const { command } = compose.services.redis;
  return command
    .slice(command.indexOf('--user'))
    .map((word) =>
      word.replaceAll(
        /\$\{(\w+):([?-])([^}]*)\}/g,
        (_, name: string, how: string, fallback: string) =>
          passwords[name] ?? (how === '-' ? fallback : ''),
      ),
    );
}

const PASSWORDS = {
  REDIS_API_PASSWORD: 'password-of-the-api',
  REDIS_WORKER_PASSWORD: 'password-of-the-worker',
};
const loopback = new Loopback();
let server: PrivateRedis;
let admin: Redis;
let api: Api;
let processes: Command[];
let folder: string;
let env: Record<string, string>;
const { key } = makeApiKey();
const as = (user: string, password: string) =>
  server.url.replace('redis://', `redis://${user}:${password}@`);
const start = (role: string, url: string, more: object = {}) =>
  startCommandWith({ ...env, ROLE: role, REDIS_URL: url, ...more }, 'src/main.ts');

/** The check at the start goes without the settings that it may not read. */
const denied = async () =>
  ((await admin.call('ACL', 'LOG')) as unknown[][]).filter(
    (entry) => !entry.includes('config|get'),
  );

beforeAll(async () => {
  server = await startPrivateRedis();
  admin = new Redis(server.url);
  const words = users(PASSWORDS);
  for (let at = 0; at < words.length;) {
    const end = words.indexOf('--user', at + 1);
    const [, name = '', ...rules] = words.slice(at, end < 0 ? undefined : end);
    // The default user of this server stays, so that the test can look at its log.
    const own = name === 'default' ? 'anybody' : name;
    await admin.call('ACL', 'SETUSER', own, 'reset', ...rules);
    at = end < 0 ? words.length : end;
  }
  folder = await mkdtemp(join(tmpdir(), 'consilium-acl-'));
  const AUTH_BOOTSTRAP_KEY_FILE = join(folder, 'admin.key');
  await writeFile(AUTH_BOOTSTRAP_KEY_FILE, key);
  env = {
    AUTH_BOOTSTRAP_KEY_FILE,
    PORT: '0',
    HOST: '127.0.0.1',
    AUTH: 'none',
    LOG_LEVEL: 'warn',
    TOPOLOGIES_DIR: 'test/support',
    SHUTDOWN_GRACE_SECONDS: '0',
  };
  processes = [
    start('api', as('api', PASSWORDS.REDIS_API_PASSWORD)),
    start('worker', as('worker', PASSWORDS.REDIS_WORKER_PASSWORD)),
  ];
  const [first] = await Promise.all(processes.map((each) => each.printed(/listens on http:\S+/)));
  api = new Api(/listens on (http:\/\/[^\s,]+)/.exec(first ?? '')?.[1] ?? '');
});
afterAll(async () => {
  for (const { child } of processes) child.kill('SIGKILL');
  admin.disconnect();
  await server.stop();
  await loopback.close();
  await rm(folder, { recursive: true });
});

it('runs a diagnosis and answers its routes with the users of docker-compose.yml', async () => {
  const topologyId = await api.store(topologyOf({ shop: await httpTarget(loopback, healthy) }));
  const events = expectValid((await (await api.trigger(topologyId)).end()).text);
  expect(events.at(-1)).toMatchObject({ data: { report: { verdict: 'healthy' } } });
  for (const path of ['/executions', '/topologies', '/status', '/conversations', '/tools'])
    expect([path, (await api.ask('GET', path)).status]).toEqual([path, 200]);
  expect((await fetch(`${api.url}/metrics`)).status).toBe(200);
  expect(await denied()).toEqual([]);
});

it('lets a worker check the key of a scrape of its metrics', async () => {
  const worker = start('worker', as('worker', PASSWORDS.REDIS_WORKER_PASSWORD), { AUTH: 'keys' });
  processes.push(worker);
  const said = await worker.printed(/listens on http:\S+/);
  const url = `${/listens on (http:\/\/[^\s,]+)/.exec(said)?.[1] ?? ''}/metrics`;
  const scrape = (key: string) => fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const good = await scrape(key);
  expect([good.status, await good.text()]).toEqual([
    200,
    expect.stringContaining('consilium_build_info'),
  ]);
  expect(await denied()).toEqual([]);
  expect((await scrape(makeApiKey().key)).status).toBe(401);
});

it.each([
  ['worker', ['HSET', 'consilium:{auth}:keys', 'id', '{}']],
  ['worker', ['HDEL', 'consilium:{auth}:keys', 'id']],
  ['worker', ['GET', 'consilium:{auth}:session:x']],
  ['worker', ['XADD', 'consilium:{audit:default}:log', '*', 'e', 'x']],
  ['worker', ['GET', 'other:key']],
  ['api', ['GET', 'other:key']],
  ['api', ['FLUSHALL']],
  ['api', ['KEYS', '*']],
  ['worker', ['CONFIG', 'SET', 'dir', '/tmp']],
  ['worker', ['ACL', 'LIST']],
  ['api', ['SUBSCRIBE', 'other']],
])('denies %s the command %j', async (user, [command = '', ...args]) => {
  const password = user === 'api' ? PASSWORDS.REDIS_API_PASSWORD : PASSWORDS.REDIS_WORKER_PASSWORD;
  const redis = new Redis(as(user, password));
  await expect(redis.call(command, ...args)).rejects.toThrow('NOPERM');
  redis.disconnect();
});

it('lets a client without a password only ask whether it answers', async () => {
  const redis = new Redis(as('anybody', 'any'), { enableReadyCheck: false });
  expect(await redis.ping()).toBe('PONG');
  await expect(redis.info()).rejects.toThrow('NOPERM');
  await expect(redis.get('consilium:{auth}:keys')).rejects.toThrow('NOPERM');
  redis.disconnect();
});
