import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const read = (file: string): string =>
  readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
const found = (text: string, pattern: RegExp): string | undefined => pattern.exec(text)?.[1];

const CHANGELOG = read('CHANGELOG.md');
const TABLE = read('docs/reliability.md');

test('the changelog begins with the version of the package', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(found(CHANGELOG, /^## (\d+\.\d+\.\d+)/m)).toBe(version);
});

test.each([
  ['logs', 'log of a run', 'src/event-log/log-version.ts', /LOG_VERSION = '(\d+)'/],
  ['checkpoints', 'checkpoint of an agent', 'src/domain/blackboard.ts', /\bversion: (\d+);/],
])('the version of stored %s is stated', (name, row, file, pattern) => {
  const version = found(read(file), pattern);
  expect(version).toMatch(/^\d+$/);
  expect(found(TABLE, new RegExp(`^\\| ${row} +\\| (\\S+)`, 'm'))).toBe(version);
  expect(found(CHANGELOG, new RegExp(`^Stored data: .*\\b${name} (\\d+)`, 'm'))).toBe(version);
});
