import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { numberedLines, readJsonLines, readLines } from './read-lines.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-lines-'));
});
afterAll(() => rm(folder, { recursive: true }));

const file = async (name: string, content: string | Buffer): Promise<string> => {
  await writeFile(join(folder, name), content);
  return join(folder, name);
};
const signal = new AbortController().signal;
const all = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
};

it('reads lines of either end, and the last one without an end', async () => {
  const path = await file('a', '\none\r\n \n two\n\nthree');
  expect(await all(readLines(path, signal))).toEqual(['one', 'two', 'three']);
});

it('joins a line that lies in several chunks, and splits no character', async () => {
  const long = '€'.repeat(100_000);
  const path = await file('b.gz', gzipSync(`x\n${long}\ny\n`));
  expect(await all(readLines(path, signal))).toEqual(['x', long, 'y']);
});

it('leaves out a line of more than 32 MiB and reads those around it', async () => {
  const path = await file('c.gz', gzipSync(`one\n${'x'.repeat(33 * 2 ** 20)}\ntwo\n`));
  expect(await all(readLines(path, signal))).toEqual(['one', 'two']);
});

it('fails for a file that is missing, and for one that is cut off or no gzip', async () => {
  const whole = gzipSync(Array.from({ length: 5_000 }, (_, i) => `line ${i}\n`).join(''));
  const cut = await file('d.gz', whole.subarray(0, whole.length / 2));
  await expect(all(readLines(cut, signal))).rejects.toThrow();
  await expect(all(readLines(await file('e.gz', 'plain'), signal))).rejects.toThrow();
  await expect(all(readLines(join(folder, 'none'), signal))).rejects.toThrow('ENOENT');
});

it('stops with the reason of the signal', async () => {
  const path = await file('f', 'x\n'.repeat(200_000));
  const stop = new AbortController();
  const read = async () => {
    for await (const line of readLines(path, stop.signal))
      if (line === 'x') stop.abort(new Error('enough'));
  };
  await expect(read()).rejects.toThrow('enough');
});

it('leaves out lines that are no JSON', async () => {
  const path = await file('g', '{"a":1}\n{"a":\nnull\n"text"\n');
  expect(await all(readJsonLines(path, signal))).toEqual([{ a: 1 }, null, 'text']);
});

it('numbers lines as an editor does, and has no text of one that is too long', async () => {
  const path = await file('n.gz', gzipSync(`one\n\n${'x'.repeat(33 * 2 ** 20)}\ntwo`));
  expect(await all(numberedLines(path, signal))).toEqual([
    { number: 1, text: 'one' },
    { number: 3, text: undefined },
    { number: 4, text: 'two' },
  ]);
});

it('names the file of which the end is missing', async () => {
  const path = await file('cut.ndjson.gz', gzipSync('{"a":1}\n'.repeat(1_000)).subarray(0, 40));
  await expect(all(readLines(path, signal))).rejects.toThrow(/\/cut\.ndjson\.gz: unexpected end/);
});
