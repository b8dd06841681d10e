import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBundle } from '../read-bundle.js';
import { findBundles } from './find-bundles.js';
import { readTruths } from './truth.js';

let root: string;
const bundle = async (path: string, incident = 'id: x', topology = 'id: 7') => {
  await mkdir(join(root, path), { recursive: true });
  await writeFile(join(root, path, 'incident.yaml'), incident);
  await writeFile(join(root, path, 'topology.yaml'), topology);
};
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'consilium-bundles-'));
  for (const path of ['one/a.1', 'one/b', 'one/ab1', 'two/a.1']) await bundle(path);
  await mkdir(join(root, 'one/not-a-bundle'));
  await writeFile(join(root, 'one/readme.md'), '');
});
afterAll(() => rm(root, { recursive: true }));

describe('findBundles', () => {
  const names = async (paths: string[], ...only: string[]) =>
    Object.fromEntries(
      (
        await findBundles(
          paths.map((path) => join(root, path)),
          only,
        )
      ).map((each) => [each.folder.slice(root.length + 1), each.names]),
    );

  it('takes a bundle, or all bundles of a folder, each once', async () => {
    expect(await names(['one', 'two/a.1', 'one/b'])).toEqual({
      one: ['a.1', 'ab1', 'b'],
      two: ['a.1'],
    });
  });

  it('selects names by a pattern in which only the star is special', async () => {
    expect(await names(['one'], 'a*')).toEqual({ one: ['a.1', 'ab1'] });
    expect(await names(['one'], 'a.1')).toEqual({ one: ['a.1'] });
    expect(await names(['one'], '*b*')).toEqual({ one: ['ab1', 'b'] });
    expect(await names(['one'], 'a.1', 'b')).toEqual({ one: ['a.1', 'b'] });
    await expect(names(['one'], '(a|b)')).rejects.toThrow('No incident bundle has a name like');
  });

  it('refuses a folder without bundles and a path that does not exist', async () => {
    await expect(names(['one/not-a-bundle'])).rejects.toThrow('holds no incident bundle');
    await expect(names(['nowhere'])).rejects.toThrow('there is no such file');
  });
});

describe('readBundle', () => {
  it.each([
    ['message: " Slow. "', 'Slow.'],
    ['message: ""', undefined],
    ['message: 7', undefined],
    ['', undefined],
  ])('has the message of %j', async (incident, message) => {
    await bundle('three/c', incident);
    expect(await readBundle(join(root, 'three/c'))).toEqual({
      folder: join(root, 'three'),
      name: 'c',
      message,
      content: { id: 7, incident: 'c' },
    });
  });

  it('fails for a folder without its two files, and for one with a broken file', async () => {
    await expect(readBundle(root)).rejects.toThrow('there is no such file');
    await bundle('three/d', 'message: [');
    await expect(readBundle(join(root, 'three/d'))).rejects.toThrow();
  });
});

describe('readTruths', () => {
  it('has defaults, and reads only YAML files', async () => {
    await mkdir(join(root, 'truth'));
    await writeFile(join(root, 'truth/a.yaml'), 'id: a\nrootCauses: [{ node: db }]');
    await writeFile(join(root, 'truth/notes.md'), '#');
    const truths = await readTruths(join(root, 'truth'));
    expect([...truths]).toEqual([
      ['a', { id: 'a', set: 'all', healthy: false, rootCauses: [{ node: 'db' }] }],
    ]);
    await writeFile(join(root, 'truth/b.yaml'), 'set: own');
    await expect(readTruths(join(root, 'truth'))).rejects.toThrow();
  });
});
