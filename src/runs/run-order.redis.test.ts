import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { completed, spec, started } from '../../test/support/incidents/drafts.js';
import { topologyOfSizes } from '../../test/support/incidents/topology-of-sizes.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { until } from '../../test/support/until.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import type { DraftEvent } from '../domain/events/event.js';
import { ownerOfDiagnoses } from '../domain/run.js';
import { MemoryLog } from '../event-log/memory-log.js';
import { RunIndex } from '../event-log/run-index.js';
import { BullmqQueue } from '../queues/bullmq-queue.js';
import { LAST_ORDER } from '../queues/job-ids.js';
import { runOrderKey } from '../redis/keys.js';
import { jobOrder, numbersOf } from './job-order.js';
import { RunOrder } from './run-order.js';

let own: TestRedis;
let log: MemoryLog;
let index: RunIndex;
let orders: RunOrder;
beforeEach(() => {
  own = testRedis();
  log = new MemoryLog();
  index = new RunIndex(own.redis, { redisPrefix: own.prefix } as Config, Date);
  orders = new RunOrder(own.redis, { redisPrefix: own.prefix }, index, log);
});
afterEach(() => own.close());

const key = () => runOrderKey(own.prefix, 'diagnosis');
const next = (tenant: string, kind: 'diagnosis' | 'chat' = 'diagnosis', numbers = 1) =>
  orders.next({ kind, owner: ownerOfDiagnoses(tenant), numbers });

async function end(runId: string, order: number | undefined, as: DraftEvent = completed) {
  await log.create(runId, { ...spec, ...(order !== undefined && { order }) }, [started]);
  await log.seal(runId, () => as);
  await orders.beforeClose(runId);
}

it('numbers the runs of a tenant, and those of another one from the latest completed run on', async () => {
  expect([await next('a'), await next('a'), await next('a')]).toEqual([1, 2, 3]);
  expect(await next('b')).toBe(1);
  await end('a2', 2);
  expect([await next('b'), await next('b'), await next('c'), await next('a')]).toEqual([
    3, 4, 3, 4,
  ]);
});

it('gives no advantage for a time in which a tenant had no runs, and no disadvantage for earlier ones', async () => {
  for (let i = 0; i < 100; i++) await next('busy');
  await end('busy', 100);
  expect([await next('idle'), await next('busy')]).toEqual([101, 101]);
});

it('is not moved by a run that was cancelled while it waited', async () => {
  for (let i = 0; i < 5; i++) await next('a');
  const cancelled: DraftEvent = {
    name: 'lifecycle.cancelled',
    source: null,
    data: { reason: 'x', report: null },
  };
  await end('a5', 5, cancelled);
  await orders.beforeClose('unknown');
  await end('old', undefined);
  expect(await next('b')).toBe(1);
});

it('numbers chats apart from diagnoses', async () => {
  for (let i = 0; i < 5; i++) await next('a');
  expect(await next('a', 'chat')).toBe(1);
});

it('lets a run take several numbers, and takes them back', async () => {
  expect(await next('a', 'diagnosis', 4)).toBe(1);
  expect(await next('a', 'diagnosis', 2)).toBe(5);
  const run = { kind: 'diagnosis', owner: ownerOfDiagnoses('a') } as const;
  await orders.giveBack({ ...run, numbers: 4 }, 1);
  await orders.giveBack({ ...run, numbers: 2 }, 5);
  expect(await next('a')).toBe(5);
});

it('forgets tenants that were passed, and all numbers once no run can be open', async () => {
  await next('a');
  await next('b');
  await end('b1', 2);
  await next('c');
  expect(await own.redis.zrange(key(), '0', '-1')).toEqual(['', 'c']);
  expect(await own.redis.ttl(key())).toBeGreaterThan(3_600);
});

it('expires also if a run completes after the numbers were forgotten', async () => {
  const number = await next('a');
  await own.redis.del(key());
  await end('late', number);
  expect(await own.redis.ttl(key())).toBeGreaterThan(3_600);
});

it('starts again at 1 if no run is open, before the numbers end, and else repeats the last one', async () => {
  await own.redis.zadd(key(), LAST_ORDER - 1, 'a');
  await index.add('r', { topologyId: 1, tenant: 'a' }, 'diagnosis');
  expect([await next('a'), await next('a')]).toEqual([LAST_ORDER, LAST_ORDER]);
  await index.close('r', { topologyId: 1, tenant: 'a' });
  expect([await next('a'), await next('b')]).toEqual([1, 1]);
});

describe('the queue', () => {
  it('takes the first run of a tenant next, behind 1,000 waiting ones of another', async () => {
    const queue = new BullmqQueue(
      loadConfig({
        REDIS_URL: own.url,
        REDIS_PREFIX: own.prefix,
        GLOBAL_SUPERVISOR_CONCURRENCY: '1',
      }),
      { now: Date.now },
    );
    const start = async (runId: string, tenant: string) => {
      const order = await next(tenant);
      const job = { runId, dispatchId: null, agentId: '1', task: '?', order };
      await queue.start(job, 'global_supervisor');
    };
    for (let i = 0; i < 1_000; i++) await start(`a${i}`, 'a');
    const worked: string[] = [];
    let go = () => {};
    const other = new Promise<void>((resolve) => (go = resolve));
    const consumer = queue.consume('global_supervisor', {
      work: async ({ data }) => {
        // Ten have ended, and the next one is at work, when the other tenant comes.
        if (worked.push(data.runId) === 11) await other;
        if (worked.length <= 13) await end(data.runId, data.order);
      },
      onError: () => undefined,
      onFailed: () => undefined,
    });
    await until('ten have ended', () => worked.length === 11);
    await start('b0', 'b');
    await start('b1', 'b');
    go();
    await until('all have ended', () => worked.length === 1_002);
    await consumer.close();
    await queue.onApplicationShutdown();
    expect(worked.slice(10, 15)).toEqual(['a10', 'b0', 'a11', 'b1', 'a12']);
    const ofA = worked.filter((runId) => runId.startsWith('a'));
    expect(ofA).toEqual(Array.from({ length: 1_000 }, (_, i) => `a${i}`));
  });

  it.each([
    [1, 200],
    [2, 200],
    [13, 200],
  ])(
    'gives a large run half of the work while runs of %d workers keep coming',
    async (size, large) => {
      const queue = new BullmqQueue(
        loadConfig({ REDIS_URL: own.url, REDIS_PREFIX: own.prefix, ORACLE_CONCURRENCY: '1' }),
        { now: Date.now },
      );
      /** Queues the workers of a run, as its team does. */
      const start = async (runId: string, workers: number) => {
        const topology = topologyOfSizes([workers]);
        const numbers = numbersOf({ kind: 'diagnosis', topology });
        const order = await orders.next({ kind: 'diagnosis', owner: 'default', numbers });
        for (const [i, { agentId }] of topology.teams[0]?.workers.entries() ?? []) {
          const place = jobOrder({ order, topology }, agentId) as number;
          const job = { runId, dispatchId: `d1_${i + 1}`, agentId, task: '?', order: place };
          // The name of the queue decides nothing here.
          await queue.start(job, 'oracle');
        }
        return order;
      };
      await start('large', large);
      let small = 0;
      const next = async () => start(`s${(small += 1)}`, size);
      for (let i = 0; i < 20; i++) await next();
      const left = new Map<string, number>();
      let worked = 0;
      let done = 0;
      const consumer = queue.consume('oracle', {
        work: async ({ data: { runId } }) => {
          worked += 1;
          if (runId === 'large') return void (done += 1);
          const open = (left.get(runId) ?? size) - 1;
          left.set(runId, open);
          // One has ended: another one comes.
          if (open === 0 && done < large) await next();
        },
        onError: () => undefined,
        onFailed: () => undefined,
      });
      await until('the large run has ended', () => done === large || worked > 5 * large);
      await consumer.close();
      await queue.onApplicationShutdown();
      expect(done).toBe(large);
      expect(worked).toBeLessThan(2.2 * large + 20 * size);
    },
  );
});
