import { expect, test } from '@jest/globals';
import { readMessage } from './said-change.js';

const kindsOf = (message: string) =>
  readMessage({ kind: 'manual', at: 0, node: 'stock', message })?.mechanisms.map(
    ({ kind }) => kind,
  ) ?? [];

test.each([
  ['set worker parallelism 4 -> 40, must be done by noon', 'concurrency-raised'],
  ['poll interval from 15m to 30s', 'interval-lowered'],
  ['pool_size 30 → 10', 'limit-lowered'],
  ['ANALYZE stock_moves', 'plan-changed'],
  ['DROP INDEX stock_by_day', 'index-removed'],
])('reads what a message says was done: %s', (message, kind) => {
  expect(kindsOf(message)).toContain(kind);
});

test.each(['connector 2.1 -> 2.2', 'restart', 'wave 5 to 6', 'moved to rack 7'])(
  'a message names no setting: %s',
  (message) => {
    expect(kindsOf(message)).toEqual([]);
  },
);

test('reads a flag whose value is a number as a setting', () => {
  const flag = { kind: 'flag' as const, at: 0, node: 'stock', flag: 'sync.batch_size' };
  expect(
    readMessage({ ...flag, from: '500', to: '1' })?.mechanisms.map(({ kind }) => kind),
  ).toEqual(['batch-lowered']);
  expect(readMessage({ ...flag, from: 'off', to: 'on' })).toBeUndefined();
});
