import { afterEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from '../../src/service.js';
import { Api } from '../support/api.js';
import { expectValid } from '../support/event-stream.js';
import { Loopback } from '../support/loopback.js';
import { Redis, startService } from '../support/parts.js';
import { healthy, held, httpTarget } from '../support/target.js';
import { topologyOf } from '../support/topology.js';
import { until } from '../support/until.js';

const targets = new Loopback();
const dir = mkdtempSync(join(tmpdir(), 'consilium-private-redis-'));
let service: Service | undefined;
afterEach(async () => {
  await targets.close();
  await service?.close();
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
    ...{ PORT: '0', DATA_DIR: dir, TOPOLOGIES_DIR: 'test/support', LOG_LEVEL: 'silent' },
    ...{ SHUTDOWN_GRACE_SECONDS: '0', SWEEP_SECONDS: '1' },
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
