import { expect, test } from '@jest/globals';
import { fitting } from './fitting.js';
import { SourceError } from './source-error.js';

const tooLarge = new SourceError('failed', 'too large', { isTooLarge: true });
const holding = (room: number, asked: number[]) => (most: number) => {
  asked.push(most);
  return most <= room ? Promise.resolve(most) : Promise.reject(tooLarge);
};

test('asks for fewer until the answer fits', async () => {
  const asked: number[] = [];
  expect(await fitting(100, holding(2, asked))).toBe(2);
  expect(asked).toEqual([100, 13, 2]);
});

test('fails where one item is too large, and at once for any other reason', async () => {
  await expect(fitting(100, holding(0, []))).rejects.toBe(tooLarge);
  const asked: number[] = [];
  const failed = new SourceError('failed', 'broken');
  const read = (most: number) => (asked.push(most), Promise.reject(failed));
  await expect(fitting(100, read)).rejects.toBe(failed);
  expect(asked).toEqual([100]);
});
