import { describe, expect, test } from '@jest/globals';
import { processorMsOf } from '../../test/support/processes/processor-time.js';
import { readdirSync, readFileSync } from 'node:fs';
import { parseTopology } from '../domain/topology/parse-topology.js';
import { diagnosticTools } from '../tools/tools.js';
import { parseTopologyText } from './topology-text.js';

const EXAMPLES = 'examples/topologies';

describe('the examples', () => {
  const names = readdirSync(EXAMPLES);
  const topologies = names.map((name) => {
    const read = parseTopologyText(readFileSync(`${EXAMPLES}/${name}`, 'utf8'), name);
    return parseTopology('value' in read ? read.value : read.faults, diagnosticTools);
  });

  test.each(names.map((name, index) => [name, topologies[index]] as const))(
    '%s is valid, and parsing its result returns the same',
    (_name, outcome) => {
      const topology = outcome && 'topology' in outcome ? outcome.topology : outcome;
      expect(parseTopology(topology, diagnosticTools)).toEqual({ topology });
    },
  );

  test('have unique ids and a worker for every node', () => {
    const ids = topologies.map((outcome) => ('topology' in outcome ? outcome.topology.id : 0));
    expect(new Set([...ids, 123]).size).toBe(names.length + 1);
    for (const outcome of topologies) {
      if (!('topology' in outcome)) continue;
      const { nodes, teams } = outcome.topology;
      const looked = teams.flatMap(({ workers }) => workers.map(({ node }) => node));
      expect(new Set(looked)).toEqual(new Set(nodes.map(({ id }) => id)));
    }
  });
});

test.each([
  ['a.yaml', 'a: &x 1\nb: *x', { a: 1, b: 1 }],
  ['a.yaml', '{"a": 1}', { a: 1 }],
  ['a.json', '{"a": 1}', { a: 1 }],
  ['a.yml', '', null],
])('%s: %j', (name, text, value) => expect(parseTopologyText(text, name)).toEqual({ value }));

test('says where a JSON file is broken, without a word of it', () => {
  expect(parseTopologyText('{\n  "id": 7,\n  "name": "x"\n  "nodes": []\n}', 'a.json')).toEqual({
    faults: [
      {
        path: '',
        message: 'cannot be read: it is not JSON: expected "," or "}" at line 4, column 3',
      },
    ],
  });
});

const laughs = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefghi'.split('').map((key, i) => `${key}: &${key} [${`*${'abcdefghi'[i]}, `.repeat(9)}]`),
].join('\n');

test('L4: reads 20,000 keys in linear time, and finds the one that is doubled', async () => {
  const text = (count: number) =>
    Array.from({ length: count }, (_, i) => `k${i}: 1`).join('\n') + '\nk0: 1';
  const timeFor = (count: number) =>
    processorMsOf(() =>
      expect(parseTopologyText(text(count), 'a.yaml')).toMatchObject({
        faults: [{ message: expect.stringMatching(/unique/i) }],
      }),
    );
  await timeFor(2_000);
  expect(await timeFor(20_000)).toBeLessThan(4 * Math.max(100, await timeFor(10_000)));
});

test('lists the first 100 of 40,000 faults in one line, in linear time', async () => {
  const timeFor = (count: number) =>
    processorMsOf(() => {
      const parsed = parseTopologyText(`nodes: ${'"a" '.repeat(count)}`, 'a.yaml');
      const faults = 'faults' in parsed ? parsed.faults : [];
      expect(faults).toHaveLength(100);
      expect(faults[99]?.message).toMatch(/ at node end at line 1, column 408$/);
    });
  await timeFor(2_000);
  expect(await timeFor(40_000)).toBeLessThan(8 * Math.max(30, await timeFor(10_000)));
});

test.each([
  ['[', '['.repeat(20_000)],
  ['keys', '? '.repeat(20_000)],
  ['lists', '- '.repeat(20_000)],
  ['JSON', `{"a":${'['.repeat(20_000)}`],
])('L4: refuses 20,000 levels of %s', (_, text) => {
  expect(parseTopologyText(text, 'a.yaml')).toEqual({
    faults: [{ path: '', message: 'cannot be read: nested deeper than 64 levels' }],
  });
});

test('refuses more than one document, and says where the second begins', () => {
  expect(parseTopologyText('a: 1\n---\nb: 2', 'a.yaml')).toEqual({
    faults: [
      {
        path: '',
        message: expect.stringMatching(
          /^cannot be read: it holds more than one document.* at line 2/,
        ),
      },
    ],
  });
});

test('L4: refuses 20,000 mappings in one line, which nest nothing', () => {
  const { faults } = parseTopologyText('a: '.repeat(20_000), 'a.yaml') as { faults: unknown[] };
  expect(faults).toHaveLength(100);
  expect(faults[0]).toMatchObject({ message: expect.stringContaining('not allowed') });
});

test('L4: reads 64 levels, and no more', () => {
  const nested = (levels: number) =>
    parseTopologyText(`${'['.repeat(levels)}${']'.repeat(levels)}`, 'a.yaml');
  // The document is a level of its own.
  expect(nested(63)).toHaveProperty('value');
  expect(nested(64)).toHaveProperty('faults');
});

test.each([
  ['a tab', 'a.yaml', 'a:\n\t- b', /line 2/],
  ['a doubled key', 'a.yaml', 'a: 1\na: 2', /unique/i],
  ['JSON cut off', 'a.json', '{"a": ', /JSON/],
  ['YAML in a .json', 'a.json', 'a: 1', /JSON/],
  ['an alias of nothing', 'a.yaml', 'a: *b', /alias/i],
  ['a billion laughs', 'a.yaml', laughs, /alias/i],
  ['too many lines', 'a.yaml', '#\n'.repeat(100_001), /more than 100,000 line breaks and commas/],
  ['too many values', 'a.yaml', `[${'a,'.repeat(50_001)}]`, /at most 50,000 values/],
  ['too many values of JSON', 'a.json', `[${'1,'.repeat(50_000)}1]`, /at most 50,000 values/],
  [
    'values that aliases repeat',
    'a.yaml',
    `- &a [${'b,'.repeat(999)}]\n${'- *a\n'.repeat(60)}`,
    /at most 50,000/,
  ],
])('reports %s', (_what, name, text, message) => {
  expect(parseTopologyText(text, name)).toEqual({
    faults: [{ path: '', message: expect.stringMatching(message) }],
  });
});

test('names a part of many faults', () => {
  const { faults } = parseTopologyText(']'.repeat(10_000), 'a.yaml') as { faults: unknown[] };
  expect(faults.length).toBeLessThanOrEqual(100);
});

test('does not repeat a password near the fault', () => {
  for (const [name, text] of [
    ['a.yaml', 'endpoint: "redis://:hunter2@h\nid: ]'],
    ['a.json', '{"endpoint": "redis://:hunter2@h" oops'],
  ] as const)
    expect(JSON.stringify(parseTopologyText(text, name))).not.toContain('hunter2');
});

test('refuses values that only YAML can express', () => {
  for (const text of [
    '&a [*a]',
    'nodes: &n [{id: x, attributes: &at {self: *at}}]',
    '? [1, 2]\n: 3',
    '!!set {a, b}',
    '- !!binary aGk=',
    '.inf',
    '<<: {a: 1}',
  ]) {
    const read = parseTopologyText(text, 'a.yaml');
    if ('value' in read)
      expect(parseTopology(read.value, diagnosticTools)).toHaveProperty('faults');
  }
});
