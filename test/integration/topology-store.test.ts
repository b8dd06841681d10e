import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretBox } from '../../src/config/secret-box.js';
import type { Topology } from '../../src/domain/topology/topology.js';
import { Topologies } from '../../src/topologies/topologies.js';
import { Behaviours } from '../../src/behaviours/behaviours.js';
import { Models } from '../../src/models/models.js';
import { TopologyLoader } from '../../src/topologies/topology-loader.js';
import { TopologyStore } from '../../src/topologies/topology-store.js';
import { Sources } from '../../src/sources/sources.js';
import { ToolRegistry } from '../../src/tools/tool-registry.js';
import { testRedis, type TestRedis } from '../support/redis.js';

const wire = (id: number, more: object = {}) => ({
  id,
  name: `Topology ${id}`,
  nodes: [
    {
      id: 'api',
      name: 'API',
      kind: 'service',
      endpoint: 'http://127.0.0.1:1/',
      dependsOn: ['cache'],
    },
    { id: 'cache', name: 'Cache', kind: 'redis', endpoint: 'redis://:secret@127.0.0.1:1' },
  ],
  ...more,
});
const topology = (id: number, name = `Topology ${id}`): Topology => ({
  ...wire(id),
  name,
  nodes: [],
  globalSupervisor: { agentId: '1', name: 'G' },
  teams: [],
});

let corner: TestRedis;
beforeEach(() => {
  corner = testRedis();
});
afterEach(() => corner.close());
const openStore = () => new TopologyStore(corner.redis, corner.prefix);

describe('TopologyStore', () => {
  test('creates once, replaces with a new version, and reads', async () => {
    const store = openStore();
    const first = await store.create(topology(7));
    expect(first).toMatchObject({ version: 1, owner: 'anonymous', topology: { id: 7 } });
    expect(await store.create(topology(7, 'again'))).toBeUndefined();
    expect(await store.get(7)).toEqual(first);
    const second = await store.replace(topology(7, 'new'));
    expect(second).toMatchObject({
      version: 2,
      createdAt: first?.createdAt,
      topology: { name: 'new' },
    });
    expect(await store.get(7)).toEqual(second);
    expect(Date.now() - Date.parse(second?.updatedAt ?? '')).toBeLessThan(60_000);
    expect(await store.replace(topology(8))).toBeUndefined();
    expect(await store.get(8)).toBeUndefined();
  });

  test('creates no more than a tenant may have, and replaces and loads the others', async () => {
    const store = new TopologyStore(corner.redis, corner.prefix, {
      box: SecretBox.of(''),
      most: 2,
      unsealed: true,
    });
    const made = await Promise.allSettled([7, 8, 9].map((id) => store.create(topology(id))));
    expect(made.map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    const [refused] = made.flatMap((each) =>
      each.status === 'rejected' ? [each.reason as unknown] : [],
    );
    expect(refused).toMatchObject({
      code: 'RATE_LIMITED',
      options: { retryAfterSeconds: 60, details: { limit: 2, usage: 2 }, limit: 'topologies' },
    });
    const [kept = 0] = [7, 8, 9].filter((_, i) => made[i]?.status === 'fulfilled');
    expect(await store.replace(topology(kept))).toMatchObject({ version: 2 });
    expect(await store.create(topology(kept))).toBeUndefined();
    expect(await store.load(topology(10), 'hash')).toMatchObject({ outcome: 'written' });
    expect(await store.of('other').create(topology(7))).toMatchObject({ version: 1 });
    await store.remove(kept);
    await store.remove(10);
    expect(await store.create(topology(11))).toMatchObject({ version: 1 });
  });

  test('never uses a version twice, even after a delete', async () => {
    const store = openStore();
    await store.create(topology(7));
    await store.replace(topology(7));
    expect(await store.remove(7)).toBe(true);
    expect(await store.remove(7)).toBe(false);
    expect(await store.get(7)).toBeUndefined();
    expect(await store.create(topology(7))).toMatchObject({ version: 3 });
  });

  test('creates once under concurrency and gives every replacement its own version', async () => {
    const store = openStore();
    const created = await Promise.all(Array.from({ length: 20 }, () => store.create(topology(7))));
    expect(created.filter((stored) => stored !== undefined)).toHaveLength(1);
    const replaced = await Promise.all(
      Array.from({ length: 20 }, () => store.replace(topology(7))),
    );
    expect(replaced.map((stored) => stored?.version).toSorted((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 2),
    );
  });

  test('a write that Redis was sent twice counts once', async () => {
    const store = openStore();
    const calls = jest.spyOn(corner.redis, 'eval');
    const stored = await store.create(topology(7));
    expect(
      await corner.redis.eval(...(calls.mock.calls[0] as Parameters<typeof corner.redis.eval>)),
    ).toEqual(expect.arrayContaining(['written', '1']));
    expect(await store.get(7)).toEqual(stored);
  });

  test('pages by id while topologies are created and deleted', async () => {
    const store = openStore();
    const ids = [3, 1, Number.MAX_SAFE_INTEGER, 20, Number.MAX_SAFE_INTEGER - 1, 100];
    for (const id of ids) await store.create(topology(id));
    const first = await store.list(0, 2);
    expect(first).toMatchObject({
      items: [{ id: 1, version: 1, nodeCount: 0, agentCount: 1 }, { id: 3 }],
      next: 3,
    });
    await store.remove(1);
    await store.create(topology(4));
    const second = await store.list(3, 3);
    expect(second).toMatchObject({ items: [{ id: 4 }, { id: 20 }, { id: 100 }], next: 100 });
    expect(await store.list(100, 2)).toMatchObject({
      items: [{ id: Number.MAX_SAFE_INTEGER - 1 }, { id: Number.MAX_SAFE_INTEGER }],
      next: null,
    });
    expect(await store.list(Number.MAX_SAFE_INTEGER, 2)).toEqual({ items: [], next: null });
  });

  test('loads a changed file and keeps an edit if the file is unchanged', async () => {
    const store = openStore();
    expect(await store.load(topology(7), 'a')).toEqual({ outcome: 'written', version: 1 });
    expect(await store.load(topology(7), 'a')).toEqual({ outcome: 'unchanged', version: 1 });
    // Only a comment changed.
    expect(await store.load(topology(7), 'b')).toEqual({ outcome: 'unchanged', version: 1 });
    // A new release derives other agents from the same file.
    expect(await store.load(topology(7, 'derived otherwise'), 'b')).toEqual({
      outcome: 'written',
      version: 2,
    });
    await store.replace(topology(7, 'edited'));
    expect(await store.load(topology(7), 'b')).toEqual({ outcome: 'unchanged', version: 3 });
    expect(await store.get(7)).toMatchObject({ topology: { name: 'edited' } });
    expect(await store.load(topology(7), 'c')).toEqual({ outcome: 'written', version: 4 });
    await store.remove(7);
    expect(await store.load(topology(7), 'c')).toEqual({ outcome: 'deleted' });
    expect(await store.load(topology(7), 'd')).toEqual({ outcome: 'written', version: 5 });
  });
});

describe('TopologyLoader', () => {
  let directory: string;
  let lines: string[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'consilium-topologies-'));
    lines = [];
    for (const level of ['log', 'warn', 'error'] as const) {
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((line: unknown) => void lines.push(`${level} ${String(line)}`));
    }
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(directory, { recursive: true, force: true });
  });

  const loader = (store = openStore(), folder = directory) =>
    new TopologyLoader(
      new Topologies(
        store,
        new ToolRegistry(),
        new Behaviours(),
        new Models(),
        new Sources({
          incidentsDir: undefined,
          sourcesFile: undefined,
          secretOf: () => undefined,
        }),
      ),
      store,
      folder,
    );
  const file = (name: string, content: unknown) =>
    writeFile(
      join(directory, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );

  test('loads valid files and reports every fault of the others', async () => {
    await file('a.yaml', wire(1));
    await file('b.yml', { ...wire(2), name: '', surprise: 1 });
    await file('c.json', '{"id": 3,');
    await file('d.json', wire(4));
    await file('e.yaml', wire(1));
    await file('f.yaml', 'x'.repeat(2_000_000));
    await file('notes.txt', 'not a topology');
    expect(await loader().load()).toEqual([1, 4]);
    const text = lines.join('\n');
    expect(text).toContain('log a.yaml: loaded topology 1, version 1');
    expect(text).toMatch(
      /error b\.yml: refused.*\n {2}name: must not be blank\n {2}surprise: unknown key/,
    );
    expect(text).toMatch(
      /error c\.json: refused.*\n {2}\(file\): cannot be read: .*JSON.* at line 1, column 10/,
    );
    expect(text).toMatch(
      /error e\.yaml: refused.*\n {2}id: 1 is already the id of the topology in a\.yaml/,
    );
    expect(text).toMatch(
      /error f\.yaml: refused.*\n {2}\(file\): cannot be read: 2000000 bytes, more than/,
    );
    expect(text).not.toContain('notes');
  });

  test('creates one version for concurrent starts and for a restart', async () => {
    await file('a.yaml', wire(1));
    await Promise.all([loader().load(), loader().load(), loader().load()]);
    await loader().load();
    expect(await openStore().get(1)).toMatchObject({ version: 1 });
  });

  test('warns about a missing directory', async () => {
    await rm(directory, { recursive: true });
    expect(await loader().load()).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^warn No topologies loaded: .*ENOENT/)]);
  });

  test('warns about no missing directory that was not set', async () => {
    const working = process.cwd();
    process.chdir(directory);
    try {
      expect(await loader(openStore(), 'examples/topologies').load()).toEqual([]);
    } finally {
      process.chdir(working);
    }
    expect(lines).toEqual([]);
  });
});
