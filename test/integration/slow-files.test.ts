import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const { SLOW_FILES } = (await import(join(ROOT, 'test/setup/slow-files.mjs'))) as {
  SLOW_FILES: Record<string, number>;
};

test('the test files that come first are there', () => {
  const gone = Object.keys(SLOW_FILES).filter((path) => !existsSync(join(ROOT, path)));
  expect(gone).toEqual([]);
});
