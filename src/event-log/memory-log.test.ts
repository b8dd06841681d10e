import { describe, expect, it } from '@jest/globals';
import { budgetSuite } from '../../test/support/suites/budget-suite.js';
import { logEndsSuite } from '../../test/support/suites/log-ends-suite.js';
import { logSuite } from '../../test/support/suites/log-suite.js';
import { spec, started } from '../../test/support/incidents/drafts.js';
import { loadConfig } from '../config/load-config.js';
import { MemoryLog } from './memory-log.js';

const { logMaxEvents, logMaxBytes, eventMaxBytes } = loadConfig({});
const bounds = { logMaxEvents, logMaxBytes, eventMaxBytes };

describe('MemoryLog', () => {
  logSuite((more) => new MemoryLog({ ...bounds, ...more }));
  logEndsSuite((more) => new MemoryLog({ ...bounds, ...more }));
});

describe('the token budget in a MemoryLog', () =>
  budgetSuite((more) => new MemoryLog({ ...bounds, ...more })));

it('counts starts by its own clock', async () => {
  let now = 1_000;
  const log = new MemoryLog(bounds, () => now);
  await log.create('r', spec, [started]);
  expect(await log.countStart('r')).toBe(1);
  now += 999;
  expect(await log.countStart('r')).toBe(1);
  now += 1;
  expect(await log.countStart('r')).toBe(2);
});
