import type { SqlRow } from './sql-task.js';

/**
 * Limits of an answer: rows, columns of a row, characters of a text, numbers of a list.
 * @internal Exported for tests.
 */
export const ROW_BOUNDS = { rows: 100, columns: 16, text: 500, numbers: 100 };

/**
 * The rows of an answer, within bounds. Values are finite numbers, truth values, texts and lists of
 * numbers; any other value is null: a server may send JSON of any depth.
 */
export const boundedRows = (rows: readonly SqlRow[]): SqlRow[] =>
  rows.slice(0, ROW_BOUNDS.rows).map((row) =>
    Object.fromEntries(
      Object.entries(row)
        .slice(0, ROW_BOUNDS.columns)
        .map(([name, value]) => [name.slice(0, ROW_BOUNDS.text), plain(value)]),
    ),
  );

function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, ROW_BOUNDS.text);
  if (typeof value === 'boolean' || Number.isFinite(value)) return value;
  if (!Array.isArray(value)) return null;
  return value.slice(0, ROW_BOUNDS.numbers).filter((each) => Number.isFinite(each));
}
