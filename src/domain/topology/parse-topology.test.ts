import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseTopology } from './parse-topology.js';
import type { ToolFacts } from '../diagnosis/tool-result.js';

const tool = (name: string, ...kinds: string[]): ToolFacts => ({
  name,
  appliesTo: (node) => kinds.includes(node.kind),
});
const TOOLS = [
  tool('http_probe', 'service'),
  tool('tcp_probe', 'tcp', 'service', 'redis', 'tls'),
  tool('redis_inspect', 'redis'),
  tool('dns_lookup', 'dns'),
  tool('host_resources', 'host', 'process'),
];

type Loose = Record<string, unknown>;

/** Two nodes, one team, three agents; valid. */
function valid() {
  return {
    id: 7,
    name: 'Shop',
    nodes: [
      {
        id: 'api',
        name: 'API',
        kind: 'service',
        endpoint: 'http://127.0.0.1:8080/health',
        dependsOn: ['cache'],
      },
      {
        id: 'cache',
        name: 'Cache',
        kind: 'redis',
        endpoint: 'redis://:secret@127.0.0.1:6379',
        attributes: { memoryPercent: 80 },
      },
    ] as Loose[],
    globalSupervisor: { agentId: '1', name: 'Chief' } as Loose,
    teams: [
      {
        name: 'Core',
        nodes: ['api', 'cache'],
        supervisor: { agentId: '2', name: 'Core lead' },
        workers: [
          { agentId: '3', name: 'API worker', node: 'api', tools: ['http_probe', 'tcp_probe'] },
          { agentId: '4', name: 'Cache worker', node: 'cache', tools: ['redis_inspect'] },
        ] as Loose[],
      } as Loose,
    ],
  };
}
type Input = ReturnType<typeof valid>;

const faultsOf = (input: unknown) => {
  const outcome = parseTopology(input, TOOLS);
  return 'faults' in outcome ? outcome.faults : [];
};

const at = <T>(list: T[], index: number): T => list[index] as T;
const node = (input: Input, index: number) => at(input.nodes, index);
const team = (input: Input) => at(input.teams, 0);
const worker = (input: Input, index = 0) => at(team(input)['workers'] as Loose[], index);
/** A single node instead of the two, with derived agents. */
const alone = (entry: Loose) => (input: Input) => ({
  id: input.id,
  name: input.name,
  nodes: [{ id: 'n', name: 'N', ...entry }],
});
const withAttributes = (attributes: unknown) => (input: Input) =>
  void (node(input, 0)['attributes'] = attributes);

describe('reports each fault with its path and what is allowed', () => {
  const cases: [string, (input: Input) => unknown, string, RegExp][] = [
    ['no object', () => [], '', /must be an object/],
    ['null', () => null, '', /must be an object/],
    ['nothing', () => undefined, '', /is required/],
    ['id missing', (i) => void delete (i as Partial<Input>).id, 'id', /is required and must be a positive integer/],
    ['id as string', (i) => ({ ...i, id: '7' }), 'id', /must be a positive integer/],
    ['id zero', (i) => ({ ...i, id: 0 }), 'id', /positive integer/],
    ['id negative', (i) => ({ ...i, id: -1 }), 'id', /positive integer/],
    ['id a fraction', (i) => ({ ...i, id: 1.5 }), 'id', /positive integer/],
    ['id unsafe', (i) => ({ ...i, id: 2 ** 53 }), 'id', /positive integer, at most 9007199254740991/],
    ['name blank', (i) => ({ ...i, name: ' \t' }), 'name', /must not be blank/],
    ['name too long', (i) => ({ ...i, name: '😀'.repeat(1001) }), 'name', /at most 1,000 characters/],
    ['description no string', (i) => ({ ...i, description: null }), 'description', /must be a string/],
    ['unknown key at the top', (i) => ({ ...i, nods: [] }), 'nods', /unknown key; did you mean "nodes"\? allowed: id, name, /],
    ['unknown key far from any', (i) => ({ ...i, zzzzzz: [] }), 'zzzzzz', /^unknown key; allowed: id/],
    ['__proto__ as a key', (i) => JSON.parse(`{"__proto__": {"x": 1}, ${JSON.stringify(i).slice(1)}`) as unknown, '__proto__', /unknown key/],
    ['a key that is no word', (i) => ({ ...i, 'a b': 1 }), '["a b"]', /unknown key/],
    ['nodes missing', (i) => void delete (i as Partial<Input>).nodes, 'nodes', /is required and must be a list of nodes/],
    ['nodes no list', (i) => ({ ...i, nodes: {} }), 'nodes', /must be a list of nodes/],
    ['nodes with an odd length', (i) => ({ ...i, nodes: { length: { toString: 1, valueOf: 1 } } }), 'nodes', /must be a list of nodes/],
    ['no node', (i) => ({ id: i.id, name: i.name, nodes: [] }), 'nodes', /needs at least one node/],
    ['too many nodes', (i) => ({ ...i, nodes: Array(1001).fill(1) }), 'nodes', /at most 1000 entries, not 1001/],
    ['a hole in place of a node', (i) => ({ id: i.id, name: i.name, nodes: Array(1) }), 'nodes[0]', /is required/],
    ['node no object', (i) => void (i.nodes[2] = 5 as unknown as Loose), 'nodes[2]', /must be an object/],
    ['unknown key of a node', (i) => void (node(i, 0)['endpont'] = 'x'), 'nodes[0].endpont', /did you mean "endpoint"\?/],
    ['node id blank', alone({ kind: 'host', id: '' }), 'nodes[0].id', /must not be blank/],
    ['node id doubled', (i) => void i.nodes.push({ ...node(i, 0), dependsOn: [] }), 'nodes[2].id', /"api" is already the id of nodes\[0\]/],
    ['kind missing', (i) => void delete node(i, 0)['kind'], 'nodes[0].kind', /is required/],
    ['dependsOn no list', (i) => void (node(i, 0)['dependsOn'] = 'cache'), 'nodes[0].dependsOn', /must be a list of node ids/],
    ['dependency no string', (i) => void (node(i, 0)['dependsOn'] = [1]), 'nodes[0].dependsOn[0]', /must be the id of a node/],
    ['missing dependency', (i) => void (node(i, 0)['dependsOn'] = ['cash']), 'nodes[0].dependsOn[0]', /no node "cash"; did you mean "cache"\?/],
    ['dependency twice', (i) => void (node(i, 0)['dependsOn'] = ['cache', 'cache']), 'nodes[0].dependsOn[1]', /named twice/],
    ['self dependency', (i) => void (node(i, 1)['dependsOn'] = ['cache']), 'nodes[1].dependsOn[0]', /depends on itself/],
    ['cycle', (i) => void (node(i, 1)['dependsOn'] = ['api']), 'nodes[1].dependsOn[0]', /cycle of dependencies: api → cache → api$/],
    ['service without endpoint', alone({ kind: 'service' }), 'nodes[0].endpoint', /is required .*http/],
    ['service at another scheme', alone({ kind: 'service', endpoint: 'ftp://h/' }), 'nodes[0].endpoint', /must be an http:\/\/ or https:\/\/ URL/],
    ['redis at http', alone({ kind: 'redis', endpoint: 'http://h' }), 'nodes[0].endpoint', /redis:\/\/ or rediss:\/\//],
    ['tcp without port', alone({ kind: 'tcp', endpoint: 'localhost' }), 'nodes[0].endpoint', /host:port/],
    ['tls as URL', alone({ kind: 'tls', endpoint: 'https://h:443' }), 'nodes[0].endpoint', /host:port/],
    ['dns as address', alone({ kind: 'dns', endpoint: '127.0.0.1' }), 'nodes[0].endpoint', /host name/],
    ['redacted password', alone({ kind: 'redis', endpoint: 'redis://:***@h' }), 'nodes[0].endpoint', /password is redacted/],
    ['process without what', alone({ kind: 'process' }), 'nodes[0].attributes', /needs `process` \(a name\) or `pid`/],
    ['process name blank', alone({ kind: 'process', attributes: { process: ' ' } }), 'nodes[0].attributes.process', /name of a process/],
    ['pid negative', alone({ kind: 'host', attributes: { pid: -1 } }), 'nodes[0].attributes.pid', /positive integer/],
    ['a kind of no tool', alone({ kind: 'servce' }), 'nodes', /no tool can measure any of them; nodes\[0\]\.kind: unknown kind "servce"; did you mean "service"\?/],
    ['nothing to diagnose', alone({ kind: 'toaster' }), 'nodes', /no tool can measure any of them; kinds with tools: service, /],
    ['attributes no object', withAttributes([]), 'nodes[0].attributes', /must be an object|plain/],
    ['slowMs as text', withAttributes({ slowMs: '1000' }), 'nodes[0].attributes.slowMs', /positive number/],
    ['slowMs zero', withAttributes({ slowMs: 0 }), 'nodes[0].attributes.slowMs', /positive number/],
    ['certificateDays null', withAttributes({ certificateDays: null }), 'nodes[0].attributes.certificateDays', /positive number/],
    ['memoryPercent over 100', withAttributes({ memoryPercent: 101 }), 'nodes[0].attributes.memoryPercent', /at most 100/],
    ['diskPercent a list', withAttributes({ diskPercent: [90] }), 'nodes[0].attributes.diskPercent', /positive number/],
    ['expectStatus a word', withAttributes({ expectStatus: 'ok' }), 'nodes[0].attributes.expectStatus', /200-399/],
    ['expectStatus backwards', withAttributes({ expectStatus: '399-200' }), 'nodes[0].attributes.expectStatus', /a range/],
    ['expectStatus of six', withAttributes({ expectStatus: 600 }), 'nodes[0].attributes.expectStatus', /a status/],
    ['expectStatus list with a fault', withAttributes({ expectStatus: [200, 'x'] }), 'nodes[0].attributes.expectStatus[1]', /a list of these/],
    ['expectStatus with an odd length', withAttributes({ expectStatus: { length: { toString: 1, valueOf: 1 } } }), 'nodes[0].attributes.expectStatus', /a list of these/],
    ['expectBody a number', withAttributes({ expectBody: 1 }), 'nodes[0].attributes.expectBody', /must be a string/],
    ['attributes beyond JSON', withAttributes({ when: new Date(0) }), 'nodes[0].attributes', /only what JSON can/],
    ['attributes too deep', withAttributes(JSON.parse('{"a":'.repeat(20) + '1' + '}'.repeat(20))), 'nodes[0].attributes', /deeper than 8/],
    ['attributes too many', withAttributes({ list: Array(2000).fill(0) }), 'nodes[0].attributes', /at most 1000 values/],
    ['supervisor no object', (i) => ({ ...i, globalSupervisor: 'x' }), 'globalSupervisor', /must be an object/],
    ['unknown key of the supervisor', (i) => void (i.globalSupervisor['nam'] = ''), 'globalSupervisor.nam', /did you mean "name"\? allowed: agentId, name, model/],
    ['agentId a number', (i) => void (i.globalSupervisor['agentId'] = 1), 'globalSupervisor.agentId', /string of digits.*quotes/],
    ['agentId no digits', (i) => void (i.globalSupervisor['agentId'] = 'a1'), 'globalSupervisor.agentId', /digits/],
    ['prompt too long', (i) => void (i.globalSupervisor['prompt'] = 'x'.repeat(20_001)), 'globalSupervisor.prompt', /at most 20,000 characters/],
    ['teams empty', (i) => ({ ...i, teams: [] }), 'teams', /^no team/],
    ['teams no list', (i) => ({ ...i, teams: 'x' }), 'teams', /must be a list of teams/],
    ['unknown key of a team', (i) => void (team(i)['worker'] = []), 'teams[0].worker', /did you mean "workers"\?/],
    ['team name doubled', (i) => void i.teams.push({ ...team(i), supervisor: { agentId: '9', name: 'x' }, workers: [{ ...worker(i), agentId: '8' }] }), 'teams[1].name', /"Core" is already the name of teams\[0\]/],
    ['team without nodes', (i) => void (team(i)['nodes'] = []), 'teams[0].nodes', /at least one node/],
    ['team with unknown node', (i) => void (team(i)['nodes'] = ['api', 'cache', 'db']), 'teams[0].nodes[2]', /no node "db"; allowed: api, cache/],
    ['team names a node twice', (i) => void (team(i)['nodes'] = ['api', 'cache', 'api']), 'teams[0].nodes[2]', /already the node at teams\[0\]\.nodes\[0\]/],
    ['team without supervisor', (i) => void delete team(i)['supervisor'], 'teams[0].supervisor', /is required/],
    ['team without workers', (i) => void (team(i)['workers'] = []), 'teams[0].workers', /at least one worker/],
    ['agent id doubled', (i) => void (worker(i)['agentId'] = '1'), 'teams[0].workers[0].agentId', /"1" is already the id of the agent globalSupervisor/],
    ['supervisor id doubled', (i) => void (team(i)['supervisor'] = { agentId: '1', name: 'x' }), 'teams[0].supervisor.agentId', /already/],
    ['worker name doubled', (i) => void (worker(i, 1)['name'] = 'API worker'), 'teams[0].workers[1].name', /already the name of teams\[0\]\.workers\[0\]/],
    ['unknown key of a worker', (i) => void (worker(i)['tool'] = 'x'), 'teams[0].workers[0].tool', /did you mean "tools"\?/],
    ['worker on an unknown node', (i) => void (worker(i)['node'] = 'db'), 'teams[0].workers[0].node', /no node "db"/],
    ['worker on a node of others', (i) => void (team(i)['nodes'] = ['cache']), 'teams[0].workers[0].node', /"api" is not a node of this team; .*allowed: cache/],
    ['worker without tools', (i) => void (worker(i)['tools'] = []), 'teams[0].workers[0].tools', /at least one tool/],
    ['unknown tool', (i) => void (worker(i)['tools'] = ['http_prob']), 'teams[0].workers[0].tools[0]', /no tool "http_prob"; did you mean "http_probe"\? allowed: http_probe, tcp_probe, /],
    ['tool twice', (i) => void (worker(i)['tools'] = ['tcp_probe', 'tcp_probe']), 'teams[0].workers[0].tools[1]', /already the tool at/],
    ['tool for another kind', (i) => void (worker(i)['tools'] = ['redis_inspect']), 'teams[0].workers[0].tools[0]', /redis_inspect does not apply to a node of kind "service"; .*allowed: http_probe, tcp_probe/],
    ['limits no object', (i) => ({ ...i, limits: 3 }), 'limits', /.+/],
    ['limit out of bounds', (i) => ({ ...i, limits: { maxIterations: 51 } }), 'limits.maxIterations', /integer from 1 to 50/],
    ['limit a text', (i) => ({ ...i, limits: { tokenBudget: '5' } }), 'limits.tokenBudget', /integer from 100 to 2000000/],
    ['unknown limit', (i) => ({ ...i, limits: { maxIteration: 5 } }), 'limits.maxIteration', /did you mean "maxIterations"\?/],
  ]; // prettier-ignore

  test.each(cases)('%s', (_name, change, path, message) => {
    const input = valid();
    const changed = change(input);
    const faults = faultsOf(changed === undefined && _name !== 'nothing' ? input : changed);
    expect(faults).toEqual([{ path, message: expect.stringMatching(message) }]);
  });
});

test('returns a valid topology with its defaults', () => {
  const input = valid();
  expect(parseTopology(input, TOOLS)).toEqual({
    topology: {
      ...input,
      nodes: [
        { ...input.nodes[0], attributes: {} },
        { ...input.nodes[1], dependsOn: [] },
      ],
    },
  });
});

test.each([200, '200', '200-399', '200, 204-206', [200, '300-399'], [404]])(
  'expectStatus may be %j',
  (expectStatus) => {
    expect(faultsOf(withAttributes({ expectStatus })(valid()))).not.toContainEqual(
      expect.objectContaining({ path: expect.stringContaining('expectStatus') }),
    );
  },
);

test('reports all faults at once, also between valid parts', () => {
  const input = valid() as unknown as Loose;
  input['id'] = 0;
  input['nodes'] = [
    { id: 'api', name: '', kind: 'service', endpoint: 'nonsense', dependsOn: ['cache', 'gone'] },
    { id: 'cache', name: 'Cache', kind: 'redis', endpoint: 'http://x', dependsOn: ['api'] },
  ];
  const teams = input['teams'] as Loose[];
  (at(teams, 0)['workers'] as Loose[]).push({ agentId: '3', node: 'cache', tools: ['nope'] });
  expect(
    faultsOf(input)
      .map(({ path }) => path)
      .sort(),
  ).toEqual([
    'id',
    'nodes[0].dependsOn[1]',
    'nodes[0].name',
    'nodes[1].dependsOn[0]',
    'nodes[1].endpoint',
    'teams[0].workers[2].agentId',
    'teams[0].workers[2].name',
    'teams[0].workers[2].tools[0]',
  ]);
});

test('reports each cycle once', () => {
  const nodes = Object.entries({
    a: ['b', 'x'],
    b: ['c'],
    c: ['a'],
    x: ['a'],
    y: ['z'],
    z: ['y'],
    ok: ['a'],
  }).map(([id, dependsOn]) => ({
    id,
    name: id,
    kind: 'host',
    dependsOn,
  }));
  expect(
    faultsOf({ id: 1, name: 'n', nodes }).map(({ path, message }) => `${path} ${message}`),
  ).toEqual([
    'nodes[2].dependsOn[0] closes a cycle of dependencies: a → b → c → a',
    'nodes[3].dependsOn[0] closes a cycle of dependencies: a → x → a',
    'nodes[5].dependsOn[0] closes a cycle of dependencies: y → z → y',
  ]);
});

test('derives a missing global supervisor and missing teams', () => {
  const { globalSupervisor, ...rest } = valid();
  const led = parseTopology(rest, TOOLS);
  expect(led).toMatchObject({
    topology: { globalSupervisor: { agentId: '1', name: 'Global supervisor' }, teams: rest.teams },
  });
  const { teams: _teams, ...headless } = valid();
  const staffed = parseTopology(headless, TOOLS);
  expect(staffed).toMatchObject({
    topology: {
      globalSupervisor,
      teams: [{ supervisor: { agentId: '2' }, workers: [{ agentId: '3' }, { agentId: '4' }] }],
    },
  });
});

test('never repeats an endpoint, which may contain a password', () => {
  const input = valid();
  node(input, 1)['endpoint'] = 'redis://user:hunter2 @host';
  node(input, 1)['kind'] = 'service';
  expect(JSON.stringify(faultsOf(input))).not.toContain('hunter2');
});

describe('properties', () => {
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.constantFrom(
      undefined,
      NaN,
      Infinity,
      { length: { toString: 1, valueOf: 1 } },
      '',
      ' ',
      '__proto__',
      'constructor',
      'api',
      'cache',
      '1',
      -0,
      1e400,
      '\ud800',
      {},
      [],
    ),
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
  );
  const outcomeIsSound = (input: unknown) => {
    const outcome = parseTopology(input, TOOLS);
    if ('faults' in outcome) expect(outcome.faults.length).toBeGreaterThan(0);
    else
      expect(parseTopology(JSON.parse(JSON.stringify(outcome.topology)), TOOLS)).toHaveProperty(
        'topology',
      );
  };

  test('never throws for any value', () => {
    fc.assert(fc.property(odd, outcomeIsSound), { numRuns: 1000 });
  });

  test('never throws for a topology changed anywhere, and accepts its own result', () => {
    const step = fc.record({
      pick: fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }),
      how: fc.constantFrom('set', 'delete', 'add'),
      value: odd,
      key: fc.oneof(fc.constantFrom('__proto__', 'toString', 'length'), fc.string()),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 3 }), (steps) => {
        const input: unknown = valid();
        for (const { pick, how, value, key } of steps) mutate(input, pick, { how, key, value });
        outcomeIsSound(input);
      }),
      { numRuns: 2000 },
    );
  });

  /** Walks down by the picks and changes the value it reaches. */
  function mutate(
    holder: unknown,
    [pick = 0, ...rest]: number[],
    change: { how: string; key: string; value: unknown },
  ): void {
    const { how, key, value } = change;
    if (typeof holder !== 'object' || holder === null) return;
    const entries = holder as Loose;
    const keys = Object.keys(entries);
    const chosen = keys[pick % Math.max(keys.length, 1)];
    if (chosen !== undefined && rest.length > 0 && typeof entries[chosen] === 'object')
      mutate(entries[chosen], rest, change);
    else if (how === 'add' || chosen === undefined)
      Object.defineProperty(entries, Array.isArray(holder) ? keys.length : key, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else if (how === 'delete') Reflect.deleteProperty(entries, chosen);
    else entries[chosen] = value;
  }
});
