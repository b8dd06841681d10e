import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { Archive } from './archive.js';

it('lets only its own user read archived logs', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'consilium-archive-'));
  try {
    const folder = join(parent, 'logs');
    const page = { frames: [], lastSequence: 0, sealed: true };
    await new Archive(folder).write('r1', () => Promise.resolve(page));
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    expect(await modeOf(folder)).toBe(0o700);
    expect(await modeOf(join(folder, 'r1.ndjson.gz'))).toBe(0o600);
  } finally {
    await rm(parent, { recursive: true });
  }
});
