import { describe, expect, it } from '@jest/globals';
import { alertOf } from '../../test/support/suites/alert-store-suite.js';
import type { Topology } from '../domain/topology/topology.js';
import type { AlertRoute } from './alerts-file.js';
import { routeAlerts, selectorsOfTopology, type RoutedAlerts } from './route-alerts.js';

const topology = (id: number, selector: string) =>
  ({
    id,
    nodes: [{ id: 'api', in: { prom: selector } }, { id: 'db' }],
  }) as unknown as Topology;
const selectors = [topology(7, 'service="shop"'), topology(8, 'service="shop"')].flatMap(
  selectorsOfTopology,
);
const withLabels = (labels: Record<string, string>) => alertOf('1', { labels });
const only = (routed: RoutedAlerts[]) => routed.map(({ topologyId }) => topologyId);

describe('routeAlerts', () => {
  it('prefers the label, then the first route that fits, then a selector', () => {
    const routes = [
      { match: { service: 'web' }, topology: 1 },
      { match: { service: 'sh*', team: '*' }, topology: 2 },
      { match: { service: 'shop' }, topology: 3 },
    ];
    const of = (labels: Record<string, string>) =>
      only(routeAlerts([withLabels(labels)], routes, selectors).routed);
    expect(of({ service: 'shop', consilium_topology: '9' })).toEqual([9]);
    expect(of({ service: 'shop', team: 'a' })).toEqual([2]);
    expect(only(routeAlerts([alertOf('1')], [], selectors).routed)).toEqual([7]);
    expect(routeAlerts([alertOf('1')], [], selectors).routed[0]?.suspects).toEqual(['api']);
  });

  it('does not take a property of all objects for a label', () => {
    const routes: AlertRoute[] = [
      { match: { toString: '*x' }, topology: 1 },
      { match: { constructor: '' }, topology: 2 },
    ];
    expect(only(routeAlerts([alertOf('1')], routes, []).routed)).toEqual([2]);
  });

  it.each(['0', '-1', '1e3', '1.5', '', '9'.repeat(30)])(
    'does not take the label %j for a topology',
    (consilium_topology) =>
      expect(routeAlerts([withLabels({ consilium_topology })], [], []).ignored).toBe(1),
  );

  it('makes one group of a storm for each topology', () => {
    const storm = Array.from({ length: 500 }, (_, i) =>
      alertOf(String(i), { labels: { consilium_topology: String(1 + (i % 2)) } }),
    );
    const { routed, ignored } = routeAlerts(storm, [], []);
    expect(routed.map(({ alerts }) => alerts.length)).toEqual([250, 250]);
    expect(ignored).toBe(0);
  });

  it('looks at the whole topology if one of the routes names no part of it', () => {
    const routes = [
      { match: { service: 'a' }, topology: 1, nodes: ['a'], cancelOnResolve: true },
      { match: { service: 'b' }, topology: 1, nodes: ['b'], teams: ['t'], cancelOnResolve: true },
      { match: { service: 'c' }, topology: 1 },
    ];
    const of = (...services: string[]) =>
      routeAlerts(
        services.map((service) => withLabels({ service })),
        routes,
        [],
      ).routed[0];
    expect(of('a', 'b')).toMatchObject({
      ...{ nodes: ['a', 'b'], teams: ['t'], cancelOnResolve: true },
    });
    expect(of('a', 'c')).toMatchObject({ nodes: [], teams: [], cancelOnResolve: false });
  });
});
