import { expect, it } from '@jest/globals';
import { misspeltAttributes } from './misspelt-attributes.js';

const of = (attributes: unknown) => misspeltAttributes({ nodes: [{ id: 'a', attributes }] });

it('reports a misspelt attribute with the known one', () => {
  expect(of({ slowMS: 300, expectstatus: 200, memorypercent: 80 })).toEqual([
    { path: 'nodes[0].attributes.slowMS', name: 'slowMS', meant: 'slowMs' },
    { path: 'nodes[0].attributes.expectstatus', name: 'expectstatus', meant: 'expectStatus' },
    { path: 'nodes[0].attributes.memorypercent', name: 'memorypercent', meant: 'memoryPercent' },
  ]);
});

it('accepts known and custom attributes', () => {
  expect(of({ slowMs: 300, owner: 'payments', runbookUrl: 'https://example.com' })).toEqual([]);
});

it('accepts values that are not a topology', () => {
  for (const content of [null, 3, 'x', [], {}, { nodes: 3 }, { nodes: [null, 3] }])
    expect(misspeltAttributes(content)).toEqual([]);
  expect(of(null)).toEqual([]);
});

it('stops after twenty', () => {
  const many = Array.from({ length: 50 }, () => ({ attributes: { slowMS: 1 } }));
  expect(misspeltAttributes({ nodes: many })).toHaveLength(20);
});
