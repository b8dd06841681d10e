import { beforeEach, describe, expect, it } from '@jest/globals';
import { brokenTool } from '../../test/support/large-tool.js';
import { memoryTopologies } from '../../test/support/memory/memory-topologies.js';
import type { Behaviours } from '../behaviours/behaviours.js';
import type { Fault } from '../domain/errors.js';
import type { Models } from '../models/models.js';
import type { Sources } from '../sources/sources.js';
import type { Tool } from '../tools/tool.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { showUnstored } from './stored-topology.js';
import { Topologies } from './topologies.js';
import { listQuerySchema } from './topology-query.js';

const document = (id: number, more: object = {}) => ({
  id,
  name: `Shop ${id}`,
  nodes: [{ id: 'db', name: 'The db', kind: 'other' }],
  ...more,
});
const withPassword = (endpoint: string) =>
  document(1, { nodes: [{ id: 'db', name: 'The db', kind: 'redis', endpoint }] });
const ofCode = (code: string) => expect.objectContaining({ code }) as unknown;
const ME = 'mine';

let denied: Fault[];
let warned: Fault[];
let unlisted: Fault[];
let topologies: Topologies;
const topologiesWith = (tool: Tool) =>
  new Topologies(
    memoryTopologies(),
    {
      all: [tool],
      egressFaults: () => denied,
      referenceFaults: () => [],
      policyWarnings: () => warned,
    } as unknown as ToolRegistry,
    { faultsIn: () => [] } as unknown as Behaviours,
    { list: () => [] } as unknown as Models,
    {
      topologyOf: async (name: string) => document(9, { name }),
      faultsIn: () => unlisted,
    } as unknown as Sources,
  );
beforeEach(() => {
  denied = [];
  warned = [];
  unlisted = [];
  topologies = topologiesWith(brokenTool);
});

it('warns of name servers that may not be asked, at their place among other warnings', async () => {
  warned = [{ path: 'nodes[0].attributes.server', message: 'is not asked' }];
  const kind = { path: 'nodes[0].kind', message: expect.stringContaining('no tool') as unknown };
  const { topology } = await topologies.create(ME, document(1));
  expect(await topologies.warnings(ME, topology)).toEqual(warned);
  const unmeasured = topologiesWith({ ...brokenTool, appliesTo: () => false });
  expect(await unmeasured.warnings(ME, topology)).toEqual([kind, ...warned]);
});

describe('create', () => {
  it('rejects a topology with a source that SOURCES_FILE does not list', async () => {
    unlisted = [{ path: 'sources[0].id', message: 'SOURCES_FILE lists no such source' }];
    await expect(topologies.create(ME, document(1))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      options: { faults: unlisted },
    });
  });

  it('stores a topology with its agents, once', async () => {
    const { topology, version } = await topologies.create(ME, document(1));
    expect([topology.teams.length, version]).toEqual([1, 1]);
    await expect(topologies.create(ME, document(1))).rejects.toEqual(ofCode('TOPOLOGY_EXISTS'));
  });

  it('refuses a topology with a fault, and one that tools must not connect to', async () => {
    const refused = ofCode('VALIDATION_FAILED');
    await expect(topologies.create(ME, { id: 1 })).rejects.toEqual(refused);
    denied = [{ path: 'nodes[0].endpoint', message: 'is denied' }];
    await expect(topologies.create(ME, document(1))).rejects.toEqual(refused);
    await expect(topologies.get(ME, 1)).rejects.toEqual(ofCode('TOPOLOGY_NOT_FOUND'));
  });

  it('takes the topology of an incident', async () => {
    expect(await topologies.create(ME, { incident: 'outage' })).toMatchObject({
      topology: { id: 9, name: 'outage' },
    });
  });

  it.each([
    [{ incidnet: 'outage' }, 'incidnet', 'unknown key; did you mean "incident"?'],
    [{ incident: 7 }, 'incident', 'must be the name of an incident bundle'],
  ])('names the only fault of %j', (body, path, message) =>
    expect(topologies.create(ME, body)).rejects.toMatchObject({
      options: { faults: [{ path, message }] },
    }),
  );
});

describe('replace', () => {
  it('makes a new version; the id may be left out', async () => {
    await topologies.create(ME, document(1));
    const { id: _, ...rest } = document(1, { name: 'Other' });
    expect(await topologies.replace(ME, 1, rest)).toMatchObject({
      version: 2,
      topology: { id: 1, name: 'Other' },
    });
    expect((await topologies.version(ME, 1, 1)).topology.name).toBe('Shop 1');
    expect((await topologies.versions(ME, 1)).map(({ version }) => version)).toEqual([2, 1]);
  });

  it('refuses another id than that of the path, and an unknown topology', async () => {
    await topologies.create(ME, document(1));
    await expect(topologies.replace(ME, 1, document(2))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      options: { faults: [{ path: 'id', message: 'must be 1, as in the path' }] },
    });
    await expect(topologies.replace(ME, 3, document(3))).rejects.toEqual(
      ofCode('TOPOLOGY_NOT_FOUND'),
    );
  });

  it('keeps a password that comes back redacted', async () => {
    const stored = await topologies.create(ME, withPassword('redis://:pass@db.example:6379'));
    const shown = await showUnstored(stored.topology);
    expect(JSON.stringify(shown)).not.toContain('pass');
    const { topology } = await topologies.replace(ME, 1, { ...shown, name: 'Other' });
    expect(topology.nodes[0]?.endpoint).toBe('redis://:pass@db.example:6379');
    expect(JSON.stringify(await topologies.check(ME, shown))).toContain(':pass@');
  });

  it('derives agents anew that come back as they were derived, and keeps those that were edited', async () => {
    const shown = await showUnstored((await topologies.create(ME, document(1))).topology);
    expect(shown['derived']).toEqual(['globalSupervisor', 'teams']);
    const nodes = [...(shown['nodes'] as object[]), { id: 'api', name: 'API', kind: 'other' }];
    const grown = (await topologies.replace(ME, 1, { ...shown, nodes })).topology;
    expect(grown.derived).toEqual(shown['derived']);
    expect(grown.teams.flatMap(({ workers }) => workers.map(({ node }) => node))).toEqual(
      expect.arrayContaining(['api', 'db']),
    );
    const teams = grown.teams.map((team) => ({ ...team, name: `${team.name} people` }));
    const edited = (await topologies.replace(ME, 1, { ...grown, teams })).topology;
    expect([edited.derived, edited.teams]).toEqual([['globalSupervisor'], teams]);
    const again = (await topologies.replace(ME, 1, edited)).topology;
    expect([again.derived, again.teams]).toEqual([['globalSupervisor'], teams]);
  });
});

it('checks a topology without storing it', async () => {
  expect(await topologies.check(ME, document(1))).toMatchObject({ topology: { id: 1 } });
  expect(await topologies.check(ME, { ...document(1), name: '' })).toEqual({
    faults: [{ path: 'name', message: expect.any(String) }],
  });
  await expect(topologies.get(ME, 1)).rejects.toEqual(ofCode('TOPOLOGY_NOT_FOUND'));
});

it('checks a large topology in many turns of the event loop', async () => {
  // Each node takes 1 ms or more, a turn ends after 10 ms, and so has 10 nodes at most.
  const appliesTo = () => {
    for (const begun = performance.now(); performance.now() - begun < 1;);
    return true;
  };
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const nodes = Array.from({ length: 200 }, (_, i) => ({ id: `${i}`, name: 'N', kind: 'other' }));
  await topologiesWith({ ...brokenTool, appliesTo }).check(ME, document(1, { nodes }));
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(19);
});

it("does not show, replace or delete another tenant's topology", async () => {
  await topologies.create(ME, document(1));
  const missing = ofCode('TOPOLOGY_NOT_FOUND');
  await expect(topologies.get('other', 1)).rejects.toEqual(missing);
  await expect(topologies.replace('other', 1, document(1))).rejects.toEqual(missing);
  await expect(topologies.versions('other', 1)).rejects.toEqual(missing);
  await expect(topologies.version('other', 1, 1)).rejects.toEqual(missing);
  await expect(topologies.remove('other', 1)).rejects.toEqual(missing);
  expect((await topologies.list('other', { limit: 10 })).items).toEqual([]);
  expect((await topologies.create('other', document(1))).version).toBe(1);
});

it('removes a topology once', async () => {
  await topologies.create(ME, document(1));
  expect(await topologies.remove(ME, 1)).toEqual({ id: 1 });
  await expect(topologies.remove(ME, 1)).rejects.toEqual(ofCode('TOPOLOGY_NOT_FOUND'));
});

describe('lists', () => {
  beforeEach(async () => {
    for (const id of [3, 1, 2]) await topologies.create(ME, document(id));
  });

  it('page by page, by ascending id', async () => {
    const first = await topologies.list(ME, { limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual([1, 2]);
    const query = listQuerySchema.parse({ limit: '2', cursor: first.nextCursor });
    const second = await topologies.list(ME, query);
    expect([second.items.map(({ id }) => id), second.nextCursor]).toEqual([[3], null]);
  });

  it.each([
    ['SHOP', 1, [1, 2], 3],
    ['shop', 2, [3], 3],
    ['2', 1, [2], 1],
    ['none', 1, [], 0],
    [null, 1, [1, 2], 3],
  ])('by a part of the name: %s, page %d', async (name, page, ids, total) => {
    const found = await topologies.query(ME, { page, size: 2, name });
    expect([found.items.map(({ id }) => id), found.total]).toEqual([ids, total]);
  });
});
