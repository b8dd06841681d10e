import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'test/browser/console');

/** By file, without its ending: the lines of the list that its tests are about. */
const tested = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      const lines = [...text.matchAll(/\(\s*['"`](\d+): /g)].map(([, line]) => line);
      return [file.slice(0, -'.test.ts'.length), new Set(lines)] as const;
    }),
);
/** The rows of the table in docs/console.md: a line of the list, and the files that test it. */
const rows = readFileSync(join(ROOT, 'docs/console.md'), 'utf8')
  .split('\n')
  .flatMap((row) => {
    const [, line, files] = /^\| (\d+|–) +\| [^|]* \| ([^|]*) \|$/.exec(row) ?? [];
    return files === undefined ? [] : [{ line, files: [...files.matchAll(/`([\w-]+)`/g)] }];
  })
  .flatMap(({ line, files }) => files.map(([, file = '']) => ({ line, file })));

it('names each file of browser tests, and the line that a test says', () => {
  const listed = new Set(rows.map(({ file }) => file));
  expect([...tested.keys()].filter((file) => !listed.has(file))).toEqual([]);
  const missing = [...tested].flatMap(([file, lines]) =>
    [...lines]
      .filter((line) => !rows.some((row) => row.file === file && row.line === line))
      .map((line) => `${line}: ${file}`),
  );
  expect(missing).toEqual([]);
});

it('names no file of browser tests for a line that none of its tests says', () => {
  const wrong = rows.filter(({ line, file }) => {
    const lines = tested.get(file);
    return lines !== undefined && line !== '–' && !lines.has(line);
  });
  expect(rows.length).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});
