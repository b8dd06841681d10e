import { connect, createServer } from 'node:net';
import { Transform } from 'node:stream';
import { afterEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { freePort } from '../../src/local/loopback.js';
import { startPrivateRedis } from '../../src/local/private-redis.js';
import { startService } from '../../src/service.js';
import { Loopback } from '../support/loopback.js';
import { until } from '../support/until.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function redis(...extraArgs: string[]): Promise<string> {
  const server = await startPrivateRedis({ extraArgs });
  closers.push(() => server.stop());
  return server.url;
}

/** Starts the service. @returns a function that reads its readiness */
async function start(url: string): Promise<() => Promise<{ status: number; text: string }>> {
  const env = {
    REDIS_URL: url,
    PORT: '0',
    TOPOLOGIES_DIR: 'test/support',
    LOG_LEVEL: 'silent',
    SHUTDOWN_GRACE_SECONDS: '0',
  };
  const service = await startService(env);
  closers.push(() => service.close());
  return async () => {
    const answer = await fetch(`${service.url}/health/ready`);
    return { status: answer.status, text: await answer.text() };
  };
}

test('names a misspelt variable without its value, and points unknown paths to the API description', async () => {
  const said: string[] = [];
  const env = {
    REDIS_URL: await redis(),
    PORT: '0',
    TOPOLOGIES_DIR: 'test/support',
    LOG_LEVEL: 'silent',
    MONTLY_MESSAGES: 'hunter2',
  };
  const service = await startService(env, { say: (line) => said.push(line) });
  closers.push(() => service.close());
  const slips = said.filter((line) => line.includes('MONTLY_MESSAGES'));
  expect(slips).toEqual(['Unknown variable MONTLY_MESSAGES. Did you mean MONTHLY_MESSAGES?']);
  const nowhere = await fetch(`${service.url}/nowhere`);
  const answer = {
    code: 'NOT_FOUND',
    message: 'There is no GET /nowhere; the API is described at /docs',
    data: null,
  };
  expect([nowhere.status, await nowhere.json()]).toEqual([404, answer]);
});

test('serves no console with CONSOLE=off', async () => {
  const env = {
    REDIS_URL: await redis(),
    PORT: '0',
    TOPOLOGIES_DIR: 'test/support',
    LOG_LEVEL: 'silent',
    CONSOLE: 'off',
  };
  const service = await startService(env);
  closers.push(() => service.close());
  for (const path of ['/console', '/console/runs', '/'])
    expect([path, (await fetch(service.url + path)).status]).toEqual([path, 404]);
});

test('refuses a Redis that evicts keys and says what to set', async () => {
  const url = await redis('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru');
  await expect(start(url)).rejects.toThrow(/maxmemory-policy allkeys-lru.*\bnoeviction/);
});

test.each([
  ['-info', /'info' command\. Grant \+info to the user in REDIS_URL/],
  ['-subscribe', /'subscribe' command\. Grant \+subscribe to the user in REDIS_URL/],
  ['-xadd', /'xadd' command\. Grant \+xadd to the user in REDIS_URL/],
  [
    'resetkeys',
    /the keys .*Grant ~PREFIX:\* and ~\{PREFIX\}:\* \(PREFIX is the value of REDIS_PREFIX\)/,
  ],
])('refuses a Redis whose user has %s, and says what to grant', async (rule, fault) => {
  const url = await redis();
  const admin = new Redis(url);
  await admin.call('ACL', 'SETUSER', 'shop', 'on', '>pw', '~*', '&*', '+@all', rule);
  admin.disconnect();
  await expect(start(url.replace('redis://', 'redis://shop:pw@'))).rejects.toThrow(fault);
});

test('becomes ready when a right is granted that Redis denied after a reconnect', async () => {
  const url = await redis();
  const admin = new Redis(url);
  closers.push(async () => admin.disconnect());
  await admin.call('ACL', 'SETUSER', 'shop', 'on', '>pw', '~*', '&*', '+@all');
  const ready = await start(url.replace('redis://', 'redis://shop:pw@'));
  expect((await ready()).status).toBe(200);
  await admin.call('ACL', 'SETUSER', 'shop', '-xadd');
  await admin.call('CLIENT', 'KILL', 'USER', 'shop');
  const denied = async () => JSON.stringify(await admin.call('ACL', 'LOG')).includes('"xadd"');
  await until('the right missed', denied);
  await until('not ready', async () => (await ready()).status === 503);
  await admin.call('ACL', 'SETUSER', 'shop', '+xadd');
  await until('ready', async () => (await ready()).status === 200);
});

test('warns about a Redis without persistence, and does not about one with it', async () => {
  const forgetful = await (await start(await redis()))();
  expect(forgetful).toMatchObject({
    status: 200,
    text: expect.stringMatching(/writes nothing to disk.*appendonly yes/) as unknown,
  });
  expect((await (await start(await redis('--appendonly', 'yes')))()).text).not.toContain(
    'warnings',
  );
});

test('refuses a Redis that is too old and says which version is needed', async () => {
  const target = new URL(await redis());
  const loopback = new Loopback();
  closers.push(() => loopback.close());
  // Reports an older version, in the same number of bytes.
  const age = () =>
    new Transform({
      transform: (bytes: Buffer, _, done) =>
        done(
          null,
          Buffer.from(
            bytes.toString('latin1').replace(/redis_version:\d/, 'redis_version:5'),
            'latin1',
          ),
        ),
    });
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(upstream).pipe(age()).pipe(client);
  });
  const port = await loopback.open(server);
  await expect(start(`redis://127.0.0.1:${port}`)).rejects.toThrow(
    /This is Redis 5\.\S+\. Use Redis 7\.0 or later/,
  );
});

test('refuses a REDIS_URL that leads to no Redis or has the wrong password, and names it', async () => {
  const secured = await startPrivateRedis({ secured: true });
  closers.push(() => secured.stop());
  const target = new URL(secured.url);
  await expect(start(`redis://:hunter2@${target.host}`)).rejects.toThrow(
    `REDIS_URL cannot be used: ${target.host} refuses this service: "WRONGPASS`,
  );
  const loopback = new Loopback();
  closers.push(() => loopback.close());
  const web = await loopback.open(
    createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  );
  await expect(start(`redis://127.0.0.1:${web}`)).rejects.toThrow(
    /^REDIS_URL cannot be used: 127\.0\.0\.1:\d+ is no Redis/,
  );
  for (const url of [
    'redis://:hunter2@h:99999',
    'redis+sentinel://:hunter2@h',
    'redis://h/one',
    'redis://:%zz@h',
  ])
    await expect(start(url)).rejects.toThrow(/^The configuration is not valid:\n {2}REDIS_URL has/);
});

test('checks a Redis that appears later or is replaced, and is not ready if it is refused', async () => {
  const port = await freePort();
  const ready = await start(`redis://127.0.0.1:${port}`);
  expect(await ready()).toMatchObject({ status: 503 });
  const sound = await startPrivateRedis({ port });
  await until('ready', async () => (await ready()).status === 200);
  await sound.stop();
  const evicting = await startPrivateRedis({
    port,
    extraArgs: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'],
  });
  closers.unshift(() => evicting.stop());
  const asked = new Redis(evicting.url);
  closers.push(async () => asked.disconnect());
  await until(
    'the service to be back',
    async () => String(await asked.client('LIST')).split('\n').length > 3,
  );
  await until('not ready, though it answers', async () => (await ready()).status === 503);
  await asked.config('SET', 'maxmemory-policy', 'noeviction');
  await asked.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await until('ready', async () => (await ready()).status === 200);
});

test('says why Redis cannot be used if it does not appear while topologies are loaded', async () => {
  const url = `redis://127.0.0.1:${await freePort()}`;
  const started = startService({
    REDIS_URL: url,
    PORT: '0',
    TOPOLOGIES_DIR: 'examples/topologies',
  });
  await expect(started).rejects.toThrow(
    /^Redis cannot be used: 127\.0\.0\.1:\d+ refuses connections \(ECONNREFUSED\)/,
  );
});

test('refuses invalid or contradictory settings before it starts anything', async () => {
  await expect(startService({ RETENTION_DAYS: '30', INDEX_RETENTION_DAYS: '7' })).rejects.toThrow(
    /INDEX_RETENTION_DAYS is 7; allowed: at least RETENTION_DAYS \(30\)/,
  );
  const said: string[] = [];
  const misspelt = startService(
    { ROLE: 'api', REDIS_URI: 'redis://h' },
    { say: (line) => said.push(line) },
  );
  await expect(misspelt).rejects.toThrow(/REDIS_URL is not set/);
  expect(said).toEqual(['Unknown variable REDIS_URI. Did you mean REDIS_URL?']);
  // All at once, also what a variable names.
  const started = startService({ PORT: '70000', MODEL: 'gpt-9', RULES_DIR: '/nowhere' });
  await expect(started).rejects.toThrow(/PORT is "70000"[^]*MODEL is "gpt-9"[^]*\/nowhere/);
  await expect(startService({ RETENTION_RUNS: 'many' })).rejects.toThrow(
    /RETENTION_RUNS is "many"; allowed: an integer from 1/,
  );
});
