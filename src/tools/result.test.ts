import { expect, it } from '@jest/globals';
import { atLeast, atMost, toolResult } from './result.js';

it('names the thresholds, and the values that are near them', () => {
  const judged = [
    ...atMost('memory_percent', 85, 90),
    ...atMost('ping_ms', 3, 1_000),
    ...atMost('disk_percent', 97, 90),
    ...atLeast('days_left', 22, 21),
  ];
  expect(toolResult('fine', {}, [], judged)).toEqual({
    status: 'ok',
    summary: 'fine',
    measurements: {},
    issues: [],
    near: [
      { metric: 'memory_percent', value: 85, threshold: 90 },
      { metric: 'days_left', value: 22, threshold: 21 },
    ],
    thresholds: [
      { metric: 'memory_percent', most: 90 },
      { metric: 'ping_ms', most: 1_000 },
      { metric: 'disk_percent', most: 90 },
      { metric: 'days_left', least: 21 },
    ],
  });
});

it('leaves out what it has not', () => {
  expect(toolResult('fine', {}, [])).toEqual({
    status: 'ok',
    summary: 'fine',
    measurements: {},
    issues: [],
  });
});
