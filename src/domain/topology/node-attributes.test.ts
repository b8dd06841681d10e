import { expect, it } from '@jest/globals';
import { shownAttributes, unknownAttributes } from './node-attributes.js';

const of = (attributes: unknown) => unknownAttributes({ nodes: [{ id: 'a', attributes }] });

it('reports a misspelt attribute with the known one', () => {
  expect(of({ slowMS: 300, expectstatus: 200, memorypercent: 80 })).toEqual([
    { path: 'nodes[0].attributes.slowMS', name: 'slowMS', meant: 'slowMs' },
    { path: 'nodes[0].attributes.expectstatus', name: 'expectstatus', meant: 'expectStatus' },
    { path: 'nodes[0].attributes.memorypercent', name: 'memorypercent', meant: 'memoryPercent' },
  ]);
});

it('reports a short form of one attribute with it, and that of several without', () => {
  expect(of({ certDays: 9, memPercent: 80, exp: 1 }).map(({ meant }) => meant)).toEqual([
    'certificateDays',
    'memoryPercent',
    undefined,
  ]);
});

it('accepts known attributes, and reports others once', () => {
  expect(of({ slowMs: 300 })).toEqual([]);
  const nodes = ['a', 'b'].map((id) => ({ id, attributes: { runbookUrl: 'https://x' } }));
  expect(unknownAttributes({ nodes })).toEqual([
    { path: 'nodes[0].attributes.runbookUrl', name: 'runbookUrl', meant: undefined },
  ]);
});

it('accepts values that are not a topology', () => {
  for (const content of [null, 3, 'x', [], {}, { nodes: 3 }, { nodes: [null, 3] }])
    expect(unknownAttributes(content)).toEqual([]);
  expect(of(null)).toEqual([]);
});

it('stops after twenty', () => {
  const many = Array.from({ length: 50 }, () => ({ attributes: { slowMS: 1 } }));
  expect(unknownAttributes({ nodes: many })).toHaveLength(20);
});

it('shows an agent documented attributes only, without addresses and secrets', () => {
  const attributes = {
    slowMs: 300,
    metrics: { errors: { max: 5 } },
    paths: ['/ready'],
    expectBody: 'see https://me:secret@shop.example/',
    path: 'x'.repeat(1_000),
    ca: 'PEM',
    server: '10.0.0.1',
    serverName: 'shop.internal',
    expectAddress: '10.0.0.2',
    password: 'hunter2',
    owner: 'payments',
  };
  const shown = shownAttributes(attributes);
  expect(Object.keys(shown)).toEqual(['slowMs', 'metrics', 'paths', 'expectBody', 'path']);
  expect(shown).toMatchObject({ slowMs: 300, metrics: { errors: { max: 5 } }, paths: ['/ready'] });
  expect(JSON.stringify(shown)).not.toContain('secret');
  expect(JSON.stringify(shown).length).toBeLessThan(600);
});

it('compares each unknown name once, and 200 names in all', () => {
  const misspelt = (topology: object) =>
    unknownAttributes(topology).filter(({ meant }) => meant !== undefined);
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`own-name-${i}`, 1]));
  const one = (attributes: object) => misspelt({ nodes: [{ id: 'a', attributes }] });
  expect(one({ ...unknown(199), slowMS: 1 })).toHaveLength(1);
  expect(one({ ...unknown(200), slowMS: 1 })).toEqual([]);
  const node = { id: 'a', attributes: { slowMS: 1 } };
  const many = { nodes: [node, { id: 'b', attributes: unknown(5_000) }, node] };
  expect(misspelt(many)).toHaveLength(2);
  expect(unknownAttributes(many)).toHaveLength(2 + 20);
});
