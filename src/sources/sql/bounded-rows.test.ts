import { expect, test } from '@jest/globals';
import { boundedRows, ROW_BOUNDS } from './bounded-rows.js';

test('keeps the values that the queries ask for', () => {
  const row = { name: 'shop', used: 3, active: true, blockers: [1, 2], lag_s: null };
  expect(boundedRows([row])).toEqual([row]);
});

test('cuts rows, columns, texts and lists', () => {
  const columns = Array.from({ length: 1_000 }, (_, i) => [`c${i}`, 'x'.repeat(10_000)]);
  const wide = Object.fromEntries(columns) as Record<string, string>;
  const rows = boundedRows(Array<Record<string, string>>(1_000).fill(wide));
  expect(rows).toHaveLength(ROW_BOUNDS.rows);
  expect(Object.keys(rows[0] ?? {})).toHaveLength(ROW_BOUNDS.columns);
  expect(rows[0]?.['c0']).toHaveLength(ROW_BOUNDS.text);
  expect(boundedRows([{ blockers: Array(1e6).fill(1) }])).toEqual([
    { blockers: Array(ROW_BOUNDS.numbers).fill(1) },
  ]);
});

test('leaves out what is no plain value', () => {
  const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
  expect(
    boundedRows([{ deep: { a: deep }, list: [deep, 'x', 4], at: new Date(0), no: NaN }]),
  ).toEqual([{ deep: null, list: [4], at: null, no: null }]);
});
