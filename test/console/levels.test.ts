import { expect, it } from '@jest/globals';
import { levelsIn } from '../../console/src/run/evidence/levels.js';

const shown = (result: object) =>
  levelsIn(result).map(({ label, text, rule, most, bad }) => [label, text, rule, most, bad]);

it('holds measured values against their thresholds, those that passed first', () => {
  const thresholds = [
    { metric: 'ping_ms', most: 1_000 },
    { metric: 'connections_percent', most: 90 },
    { metric: 'free_bytes', least: 4_096 },
  ];
  const measurements = { ping_ms: 2, connections_percent: 95, free_bytes: 1_024 };
  expect(shown({ thresholds, measurements })).toEqual([
    ['Connections', '95 %', 'at most 90 %', 100, true],
    ['Free', '1.00 KiB', 'at least 4.00 KiB', 4_096, true],
    ['Ping', '2 ms', 'at most 1.00 s', 1_000, false],
  ]);
});

it('reads the value of a series, and how much it rose', () => {
  const name = 'http_errors_total{service="payments"}';
  const thresholds = [
    { metric: name, most: 10 },
    { metric: `${name} increase`, most: 0 },
  ];
  const series = [{ series: name, value: 8, change: 4 }];
  expect(shown({ thresholds, measurements: { series } })).toEqual([
    [`${name} increase`, '4', 'at most 0', 4, true],
    [name, '8', 'at most 10', 10, false],
  ]);
});

it('reads the greatest value of a check', () => {
  const thresholds = [{ metric: 'volume_ratio', most: 0.85 }];
  expect(shown({ thresholds, measurements: { greatest: { up: 1, volume_ratio: 0.9 } } })).toEqual([
    ['Volume', '90 %', 'at most 85 %', 0.9, true],
  ]);
});

it('leaves out what was not measured, what has a picture of its own, and what is no threshold', () => {
  const thresholds = [
    { metric: 'memory_percent', most: 90 },
    { metric: 'unknown', most: 1 },
    { metric: 'queue', most: 'many' },
    null,
  ];
  expect(levelsIn({ thresholds, measurements: { memory_percent: 95, queue: 3 } })).toEqual([]);
  expect(levelsIn(null)).toEqual([]);
});
