import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completed, spec, started } from '../../test/support/incidents/drafts.js';
import { budgetSuite } from '../../test/support/suites/budget-suite.js';
import { logEndsSuite } from '../../test/support/suites/log-ends-suite.js';
import { logSuite, type MakeLog } from '../../test/support/suites/log-suite.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { RedisLog } from './redis-log.js';

let corner: TestRedis;
let config: Config;
beforeAll(() => {
  corner = testRedis();
  config = loadConfig({ REDIS_URL: corner.url, REDIS_PREFIX: corner.prefix });
});
afterAll(() => corner.close());

const make: MakeLog = (bounds) => new RedisLog(corner.redis, { ...config, ...bounds });

describe('RedisLog', () => {
  logSuite(make);
  logEndsSuite(make);

  it('ends a run although the frame of a report is lost', async () => {
    const log = make();
    const runId = randomUUID();
    await log.create(runId, spec, [
      started,
      {
        name: 'dispatch.report',
        source: null,
        data: { dispatch_id: 'd1', status: 'ok', reasons: [], summary: 's', findings: [] },
      },
    ]);
    expect(await corner.redis.xdel((log as RedisLog).keys(runId).log, '2-0')).toBe(1);
    expect(await log.seal(runId, () => completed)).toMatchObject({
      status: 'completed',
      sealed: true,
    });
  });
});

describe('the token budget in a RedisLog', () => budgetSuite(make));
