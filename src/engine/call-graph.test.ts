import { expect, test } from '@jest/globals';
import { observed } from '../../test/support/incidents/observations.js';
import { callsIn, connectedTo, reachOf } from './call-graph.js';

const nodesOf = (calls: Record<string, string[]>) =>
  Object.entries(calls).map(([id, dependsOn]) => ({ id, name: id, dependsOn }));
const span = (spanId: string, node: string, parentId?: string) => ({
  traceId: 't',
  spanId,
  node,
  name: 'op',
  start: 0,
  durationMs: 1,
  attributes: {},
  ...(parentId !== undefined && { parentId }),
});
const calleesOf = (calls: Record<string, string[]>, ...spans: ReturnType<typeof span>[]) =>
  Object.fromEntries(
    [...callsIn(observed({ nodes: nodesOf(calls), spans }))].map(([id, ids]) => [id, [...ids]]),
  );

test('joins the calls that the topology knows with those that spans show', () => {
  const spans = [span('1', 'web'), span('2', 'cart', '1'), span('3', 'cart', '2')];
  expect(calleesOf({ web: ['orders'], orders: [], cart: [] }, ...spans)).toEqual({
    web: ['orders', 'cart'],
    orders: [],
    cart: [],
  });
});

test('takes a store that nothing calls for that of the service that it is named after', () => {
  expect(calleesOf({ orders: [], 'orders-db': [], 'cart-redis': [], dashboard: [] })).toEqual({
    orders: ['orders-db'],
    'orders-db': [],
    'cart-redis': [],
    dashboard: [],
  });
  expect(calleesOf({ orders: [], billing: ['orders-db'], 'orders-db': [] })['orders']).toEqual([]);
  expect(calleesOf({ orders: [], 'orders-queue': ['orders'] })['orders']).toEqual([]);
});

test('reaches what is called in turn, in circles too', () => {
  const calls = callsIn(observed({ nodes: nodesOf({ a: ['b'], b: ['c'], c: ['a'], d: [] }) }));
  expect([...reachOf('a', calls)].toSorted()).toEqual(['a', 'b', 'c']);
  expect(reachOf('d', calls).size).toBe(0);
});

test('connects nodes over calls in both directions', () => {
  const nodes = nodesOf({
    web: ['orders'],
    batch: ['orders'],
    orders: [],
    pdf: ['fonts'],
    fonts: [],
  });
  const calls = callsIn(observed({ nodes }));
  expect([...connectedTo('web', calls)].toSorted()).toEqual(['batch', 'orders', 'web']);
});

test('pods need the machine that they run on, where that is a node', () => {
  const pod = (nodeName: string) => ({
    kind: 'Pod',
    name: nodeName,
    object: { spec: { nodeName } },
  });
  const kubernetesByNode = new Map([['web', [pod('host-1'), pod('elsewhere')]]]);
  const nodes = nodesOf({ web: [], 'host-1': [], 'host-2': [] });
  expect([...(callsIn(observed({ nodes, kubernetesByNode })).get('web') ?? [])]).toEqual([
    'host-1',
  ]);
});
