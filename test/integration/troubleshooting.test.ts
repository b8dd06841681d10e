import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { STATUS_OF } from '../../src/http/to-consilium-error.js';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');

/** The codes in the first column of the tables, with the cells beside them. */
const ROWS = PAGE.split('\n').flatMap((line) => {
  const [, first = '', ...cells] = line.split('|').map((cell) => cell.trim());
  return [...first.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code = '']) => ({ code, cells }));
});

/** What a pattern finds in the sources of a folder. */
const inSources = (folder: string, pattern: RegExp): string[] =>
  readdirSync(join(ROOT, 'src', folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(ROOT, 'src', folder, file), 'utf8').matchAll(pattern)])
    .map(([, code = '']) => code);

test('has every code of a refused request, with its status', () => {
  const shown = ROWS.filter(({ cells }) => /^\d{3}$/.test(cells[0] ?? ''));
  expect(Object.fromEntries(shown.map(({ code, cells }) => [code, Number(cells[0])]))).toEqual(
    STATUS_OF,
  );
});

test('has every code of a run that failed', () => {
  const codes = inSources('runs', /\bfail\(\s*runId,\s*'([A-Z_]+)'/g);
  expect(codes).toEqual(expect.arrayContaining(['DEADLINE', 'LOG_LIMIT', 'ORPHANED']));
  expect(ROWS.map(({ code }) => code)).toEqual(expect.arrayContaining(codes));
});

test('has every reason of an unchecked node', () => {
  const [, union = ''] =
    /type UncheckedReason =([^;]+);/.exec(
      readFileSync(join(ROOT, 'src/domain/diagnosis/finding.ts'), 'utf8'),
    ) ?? [];
  const reasons = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code = '']) => code);
  expect(reasons).toContain('NOT_MEASURED');
  expect(ROWS.map(({ code }) => code)).toEqual(expect.arrayContaining(reasons));
});
