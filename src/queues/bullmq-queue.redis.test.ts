import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Queue } from 'bullmq';
import { queueSuite } from '../../test/support/suites/queue-suite.js';
import { testRedis } from '../../test/support/redis.js';
import { until } from '../../test/support/until.js';
import { loadConfig } from '../config/load-config.js';
import { Clock } from '../lib/clock.js';
import { queuePrefix } from '../redis/keys.js';
import { BullmqQueue } from './bullmq-queue.js';
import { QUEUE_NAMES } from './job-ids.js';

function open(clock: Clock) {
  const corner = testRedis();
  const config = loadConfig({
    REDIS_URL: corner.url,
    REDIS_PREFIX: corner.prefix,
    GLOBAL_SUPERVISOR_CONCURRENCY: '1',
    TEAM_SUPERVISOR_CONCURRENCY: '1',
    WORKER_CONCURRENCY: '1',
    ORACLE_CONCURRENCY: '1',
  });
  const queue = new BullmqQueue(config, clock);
  const close = async () => {
    await queue.onApplicationShutdown();
    await corner.close();
  };
  return { queue, close, corner };
}

describe('BullmqQueue', () => {
  queueSuite(() => open({ now: Date.now }));

  it('asks once which jobs of a run are left, however many it had', async () => {
    const { queue, close } = open({ now: Date.now });
    const job = { runId: 'r', agentId: 'a', task: 't' };
    await queue.start({ ...job, dispatchId: null }, 'global_supervisor');
    const reads = jest.spyOn(Queue.prototype, 'getJob');
    const gone = Array.from({ length: 1_500 }, (_, i) => `d1_${i + 1}`);
    expect(await queue.remove('r', ['d1', ...gone], 'global_supervisor')).toEqual([]);
    expect(reads.mock.calls).toEqual([['r']]);
    reads.mockRestore();
    expect(await queue.isQueued('r', 'global_supervisor')).toBe(false);
    await close();
  });

  it('wakes a consumer for a job with an order that another one gives back', async () => {
    const { queue, close, corner } = open({ now: Date.now });
    const marker = `${queuePrefix(corner.prefix)}:${QUEUE_NAMES.global_supervisor}:marker`;
    const job = { runId: 'r', dispatchId: null, agentId: 'a', task: 't', order: 3 };
    const given = new Promise<void>((resolve) => {
      const consumer = queue.consume('global_supervisor', {
        work: async (taken) => {
          // It takes no more, so that what wakes the next one stays.
          const closed = consumer.close();
          void closed.then(resolve);
          await corner.redis.del(marker);
          await taken.release();
        },
        onError: () => undefined,
        onFailed: () => undefined,
      });
    });
    await queue.start(job, 'global_supervisor');
    await given;
    expect(await corner.redis.zrange(marker, '0', '-1')).toEqual(['0']);
    await close();
  });

  it.each(['info', 'evalsha'])(
    'does not keep the process busy while Redis denies %s',
    async (command) => {
      const corner = testRedis();
      const user = corner.prefix;
      const rules = ['on', '>pw', '~*', '&*', '+@all', `-${command}`];
      await corner.redis.call('ACL', 'SETUSER', user, ...rules);
      const url = new URL(corner.url);
      [url.username, url.password] = [user, 'pw'];
      const config = loadConfig({ REDIS_URL: url.href, REDIS_PREFIX: corner.prefix });
      const queue = new BullmqQueue(config, { now: Date.now });
      let errors = 0;
      const consumer = queue.consume('oracle', {
        work: async () => undefined,
        onError: (error) => {
          if (error.message.startsWith('NOPERM')) errors += 1;
        },
        onFailed: () => undefined,
      });
      await until('a second attempt', () => errors > 3);
      expect(errors).toBeLessThan(20);
      await consumer.close();
      await queue.onApplicationShutdown();
      await corner.redis.call('ACL', 'DELUSER', user);
      await corner.close();
    },
  );

  describe('with a process whose clock is wrong', () => {
    afterEach(() => void jest.restoreAllMocks());

    it.each([
      ['an hour ahead when it delays, and is right later', 3_600_000, 0],
      ['right when it delays, and an hour behind later', 0, -3_600_000],
    ])('wakes a job when its delay is over: %s', async (_, before, after) => {
      const real = Date.now;
      let skew = before;
      let store = 1_000_000;
      let opened = 0;
      jest.spyOn(Date, 'now').mockImplementation(() => real() + skew);
      const { queue, close, corner } = open({ now: () => store });
      const consumer = queue.consume('oracle', {
        work: async (job) => {
          if (opened++ === 0) await job.delay(60_000);
        },
        onError: () => undefined,
        onFailed: () => undefined,
      });
      const states = async () =>
        new Map(
          (await queue.counts())
            .filter((each) => each.queue === 'oracle')
            .map((each) => [each.state, each.count]),
        );
      await queue.start({ runId: 'r', dispatchId: null, agentId: 'a', task: 't' }, 'oracle');
      await until('it is delayed', async () => (await states()).get('delayed') === 1);
      skew = after;
      store += 59_000;
      await queue.endDelays();
      expect((await states()).get('delayed')).toBe(1);
      store += 1_000;
      await queue.endDelays();
      await until('it is done', async () => [...(await states()).values()].every((n) => n === 0));
      expect(opened).toBe(2);
      expect(await corner.redis.exists(`{${corner.prefix}}:delays`)).toBe(0);
      await consumer.close();
      await close();
    });
  });
});
