import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from '../../src/service.js';
import { Api } from '../support/api.js';
import { startCommandWith, type Command } from '../support/processes/command.js';
import { expectValid } from '../support/streams/event-stream.js';
import { Loopback } from '../support/loopback.js';
import { Redis, startService } from '../support/parts.js';
import { healthy, held, httpTarget } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';

const targets = new Loopback();
let dir: string;
let service: Service | undefined;
let command: Command | undefined;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'consilium-private-redis-'))));
afterEach(async () => {
  await targets.close();
  await service?.close();
  command?.child.kill('SIGKILL');
  await command?.ended;
  [service, command] = [undefined, undefined];
  rmSync(dir, { recursive: true });
});

/** Kills the Redis of the service. */
async function killRedis({ config }: Service): Promise<void> {
  const client = new Redis(config.redisUrl as string);
  client.on('error', () => undefined);
  const id = /process_id:(\d+)/.exec(await client.info('server'))?.[1] ?? '';
  process.kill(Number(id), 'SIGKILL');
  client.disconnect();
}

test('a service whose private Redis is killed finishes the run that was going on, and the next one', async () => {
  service = await startService({
    PORT: '0',
    DATA_DIR: dir,
    TOPOLOGIES_DIR: 'test/support',
    LOG_LEVEL: 'silent',
    SHUTDOWN_GRACE_SECONDS: '0',
    SWEEP_SECONDS: '1',
  });
  const api = new Api(service.url);
  const answers = held(healthy);
  const shop = await httpTarget(targets, answers);
  const id = await api.store(topologyOf({ shop }));
  const runId = await api.accept(id);
  await until('the probe', () => shop.hits > 0);
  await killRedis(service);
  answers.release();
  const ready = async () => (await fetch(`${api.url}/health/ready`)).status === 200;
  await until('the service is ready again', ready);

  for (const each of [runId, await api.accept(id)]) {
    const last = expectValid(await api.log(each)).at(-1);
    expect(last).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  }
});

test('the process of `npm start` starts its private Redis again on the same data, and ends if that dies too often', async () => {
  command = startCommandWith(
    {
      REDIS_URL: '',
      PORT: '0',
      DATA_DIR: dir,
      TOPOLOGIES_DIR: 'test/support',
      LOG_LEVEL: 'silent',
      SHUTDOWN_GRACE_SECONDS: '0',
    },
    'src/main.ts',
  );
  const said = await command.printed(/listens on http:\S+,/);
  const [, port = ''] = /Redis: private, on 127\.0\.0\.1:(\d+)/.exec(said) ?? [];
  const api = new Api(/listens on (\S+),/.exec(said)?.[1] ?? '');
  const id = await api.store(topologyOf({ shop: await httpTarget(targets, healthy) }));
  const ready = async () => (await fetch(`${api.url}/health/ready`)).status === 200;

  let killed = await killListener(port);
  await command.printed(/The private Redis ended unexpectedly .*Restarting it with its data in/);
  await until('the service is ready again', ready);
  expect((await api.ask('GET', `/topologies/${id}`)).status).toBe(200);
  const run = expectValid(await api.log(await api.accept(id)));
  expect(run.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });

  let isOver = false;
  const over = command.ended.then((ended) => ((isOver = true), ended));
  while (!isOver) killed = await killListener(port, killed, () => isOver);
  const { code, stderr } = await over;
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      // What Redis said last stands between, if it was killed while it started.
      /^The private Redis ended unexpectedly [^]*The service stops\. Start it again\.$/m,
    ),
  ]);
});

/** Kills the Redis of this port as soon as it is another process than before. @returns its id */
async function killListener(port: string, before = 0, isOver = () => false): Promise<number> {
  const pid = await until(`a Redis on port ${port}`, () => isOver() || redisOn(port, before));
  if (typeof pid === 'number') process.kill(pid, 'SIGKILL');
  return typeof pid === 'number' ? pid : before;
}

function redisOn(port: string, before: number): number | undefined {
  const lines = execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const found = lines.find(
    (line) => /(redis|valkey)-server/.test(line) && line.includes(`127.0.0.1:${port}`),
  );
  const pid = Number.parseInt(found ?? '', 10);
  return Number.isNaN(pid) || pid === before ? undefined : pid;
}
