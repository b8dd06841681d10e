import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { draftOf, EVIDENCE, type FoundEdge, type FoundNode } from './draft.js';

const node = (id: string, more: Partial<FoundNode> = {}): FoundNode => ({
  id,
  kind: 'service',
  from: 'a test',
  ...more,
});
const edge = (node: string, on: string, evidence: FoundEdge['evidence'] = 'env'): FoundEdge => ({
  node,
  on,
  evidence,
  from: `${evidence} of ${node}`,
});
const pairs = (draft: ReturnType<typeof draftOf>) =>
  draft.nodes.flatMap(({ id, dependsOn }) => dependsOn.map(({ on }) => `${id}>${on}`));

test('keeps the strongest evidence of an edge', () => {
  const edges = [edge('a', 'b', 'order'), edge('a', 'b', 'trace'), edge('a', 'b', 'env')];
  const { nodes } = draftOf([node('a'), node('b')], edges);
  expect(nodes[0]?.dependsOn).toEqual([edge('a', 'b', 'trace')]);
});

test('leaves out the weakest edge of a circle, and says so', () => {
  const edges = [edge('a', 'b', 'order'), edge('b', 'c', 'trace'), edge('c', 'a', 'env')];
  const draft = draftOf(
    ['a', 'b', 'c'].map((id) => node(id)),
    edges,
  );
  expect(pairs(draft)).toEqual(['b>c', 'c>a']);
  expect(draft.leftOut).toEqual([edge('a', 'b', 'order')]);
});

test('leaves out back ends of telemetry, unknown nodes and a node itself', () => {
  const ids = ['a', 'otel-collector', 'otelcol', 'shop-jaeger-query', 'prometheus', 'lokiterm'];
  const edges = ['otel-collector', 'nowhere', 'a', 'lokiterm'].map((on) => edge('a', on));
  const draft = draftOf(
    ids.map((id) => node(id)),
    edges,
  );
  expect(draft.nodes.map(({ id }) => id)).toEqual(['a', 'lokiterm']);
  expect(pairs(draft)).toEqual(['a>lokiterm']);
});

test('a service without an endpoint is a workload, which needs none', () => {
  const kinds = draftOf([node('a'), node('b', { endpoint: 'http://b' })], []).nodes;
  expect(kinds.map(({ kind }) => kind)).toEqual(['workload', 'service']);
});

test('of two nodes of one id, keeps the one that can be reached', () => {
  const { nodes } = draftOf([node('a'), node('a', { endpoint: 'http://a' })], []);
  expect(nodes).toMatchObject([{ endpoint: 'http://a' }]);
});

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const anyEdges = fc.array(
  fc.tuple(ids, ids, fc.constantFrom(...EVIDENCE)).map(([from, to, how]) => edge(from, to, how)),
  { maxLength: 30 },
);

test('depends on what was found, and not on its order; has no circle', () => {
  fc.assert(
    fc.property(anyEdges, fc.nat(), (edges, seed) => {
      const nodes = ['a', 'b', 'c', 'd', 'e'].map((id) => node(id));
      const draft = draftOf(nodes, edges);
      const shuffled = edges.map((each, i) => ({ each, key: (i * 7 + seed) % 31 }));
      const other = shuffled.toSorted((a, b) => a.key - b.key).map(({ each }) => each);
      expect(draftOf(nodes.toReversed(), other)).toEqual(draft);
      const on = new Map(draft.nodes.map(({ id, dependsOn }) => [id, dependsOn.map((e) => e.on)]));
      const depth = (id: string, left: number): number =>
        left < 0 ? 99 : Math.max(0, ...(on.get(id) ?? []).map((next) => 1 + depth(next, left - 1)));
      for (const { id } of draft.nodes) expect(depth(id, 6)).toBeLessThan(5);
    }),
  );
});
