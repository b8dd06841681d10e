import { mkdtemp, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { frameOf } from '../domain/events/frame.js';
import { Archive } from './archive.js';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'consilium-archive-'));
});
afterEach(() => rm(parent, { recursive: true }));

const RUN = '01900000-0000-7000-8000-000000000001';
const lines = (text: string) =>
  [1, 2, 3].map((sequence) =>
    JSON.stringify({
      run_id: RUN,
      timestamp: '',
      sequence,
      source: {},
      event: { category: 'llm', action: 'stream' },
      data: { text },
    }),
  );
/** An archived log of the same size for texts of the same length. */
const packed = (text: string) =>
  gzipSync(
    lines(text)
      .map((line) => `${line}\n`)
      .join(''),
    { level: 0 },
  );

it('lets only its own user read archived logs', async () => {
  const folder = join(parent, 'logs');
  const page = { frames: [], lastSequence: 0, sealed: true };
  await new Archive(folder).write('r1', () => Promise.resolve(page));
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
  expect(await modeOf(folder)).toBe(0o700);
  expect(await modeOf(join(folder, 'r1.ndjson.gz'))).toBe(0o600);
});

it.each(['renamed', 'written in place'])(
  'checks a log again that was replaced by one of the same size and time: %s',
  async (way) => {
    const archive = new Archive(parent);
    const frames = lines('right').map((line) => Buffer.from(frameOf(line)));
    await archive.write(RUN, () => Promise.resolve({ frames, lastSequence: 3, sealed: true }));
    const file = join(parent, `${RUN}.ndjson.gz`);
    const then = new Date('2026-11-22T08:00:00Z');
    await writeFile(file, packed('right'));
    await utimes(file, then, then);
    const read = (after: number) => archive.read(RUN, { after, limit: 1, lastSequence: 3 });
    expect(String(await read(0))).toContain('"right"');

    const other = way === 'renamed' ? join(parent, 'other') : file;
    await writeFile(other, packed('wrong'));
    await utimes(other, then, then);
    await rename(other, file);
    const { size, mtime } = await stat(file);
    expect([size, mtime]).toEqual([packed('right').length, then]);

    // Neither from the beginning nor from the position that is open.
    for (const after of [0, 1])
      await expect(read(after)).rejects.toThrow('The archived log of this run is damaged');
  },
);
