import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';
import { unreadable } from './unreadable.js';

test.each([
  ['/nowhere/shop.yaml', 'there is no such file'],
  [tmpdir(), 'it is a folder'],
])('says why %s cannot be read', async (path, why) => {
  const cause: unknown = await readFile(path).catch((error: unknown) => error);
  expect(unreadable(path, cause)).toBe(`Cannot read ${path}: ${why}.`);
});
