import { expect, test } from '@jest/globals';
import { judgeLine } from './line-weight.js';

test.each(['evicted_keys:0', '  "oomKilled": 0,', 'rejected_connections = 0'])(
  'a fault that was counted zero times is none: %s',
  (line) => {
    expect(judgeLine(line).weight).toBe(0);
  },
);

test('a fault that was counted shows', () => {
  expect(judgeLine('evicted_keys:7').weight).toBeGreaterThan(0);
});
