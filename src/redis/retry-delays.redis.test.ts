import { Queue, Worker } from 'bullmq';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { until } from '../../test/support/until.js';
import { queuePrefix, retriesKey } from './keys.js';
import { JobDelays } from './job-delays.js';
import { RetryDelays } from './retry-delays.js';

let own: TestRedis;
let queue: Queue;
let store: number;
let delays: JobDelays;
let retries: RetryDelays;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  own = testRedis();
  store = 1_000_000;
  queue = new Queue('retried', connection());
  delays = new JobDelays(own.redis, key(), { now: () => store }, (id) => queue.getJob(id));
  retries = new RetryDelays(delays);
});
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of closers.splice(0).reverse()) await close();
  await queue.close();
  await own.close();
});

const connection = () => ({ connection: { url: own.url }, prefix: queuePrefix(own.prefix) });
const key = () => retriesKey(own.prefix, 'retried');
const states = () => queue.getJobCounts('delayed', 'active', 'waiting', 'completed');

/** Works on the jobs; each fails at its first attempts. @returns how many attempts there were */
function work(failures: number): () => number {
  let attempts = 0;
  const worker = new Worker(
    'retried',
    async () => {
      if (++attempts <= failures) throw new Error('refused');
    },
    {
      ...connection(),
      maxStalledCount: 100,
      settings: {
        backoffStrategy: (_made, _type, _error, job) => retries.note(job?.id ?? '', 60_000),
      },
    },
  );
  worker.on('error', () => undefined);
  closers.push(() => worker.close());
  return () => attempts;
}
const add = () => queue.add('job', {}, { jobId: 'a', attempts: 9, backoff: { type: 'custom' } });

it.each([
  ['an hour ahead when it fails, and is right later', 3_600_000, 0],
  ['right when it fails, and an hour behind later', 0, -3_600_000],
  ['right when it fails, and an hour ahead later', 0, 3_600_000],
])(
  'tries a job again when its pause is over by the clock of Redis: %s',
  async (_, before, after) => {
    const real = Date.now;
    let skew = before;
    jest.spyOn(Date, 'now').mockImplementation(() => real() + skew);
    const attempts = work(1);
    await add();
    await until('it is delayed', async () => (await states())['delayed'] === 1);
    skew = after;
    // Whatever is due by the clock of a process that comes to the queue now, it takes.
    const other = work(0);
    await queue.add('job', {}, { jobId: 'b' });
    await until('the other job is done', async () => (await states())['completed'] === 1);
    store += 59_999;
    await delays.end();
    expect(await states()).toMatchObject({ delayed: 1, completed: 1 });
    store += 1;
    await delays.end();
    await until('it is done', async () => (await states())['completed'] === 2);
    expect(attempts() + other()).toBe(3);
    await delays.end();
    expect(await own.redis.exists(key())).toBe(0);
  },
);

it('keeps the pause of a job that is about to be delayed, and forgets one that is gone', async () => {
  let held: (() => void) | undefined;
  const worker = new Worker(
    'retried',
    () => new Promise<void>((end) => (held = end)),
    connection(),
  );
  closers.push(() => worker.close());
  await add();
  await until('it is active', async () => (await states())['active'] === 1 && held !== undefined);
  await delays.note('a', 1_000);
  await delays.note('gone', 1_000);
  store += 1_000;
  await delays.end();
  expect(await own.redis.zrange(key(), '0', '-1')).toEqual(['a']);
  held?.();
  await until('it is done', async () => (await states())['completed'] === 1);
  await delays.end();
  expect(await own.redis.exists(key())).toBe(0);
});

it('has no pause of 0 ms, and forgets none that is newer', async () => {
  expect(await retries.note('a', 0)).toBe(0);
  expect(await own.redis.exists(key())).toBe(0);
  await delays.note('a', 1_000);
  store += 999;
  await delays.end();
  expect(await own.redis.zscore(key(), 'a')).toBe('1001000');
});
