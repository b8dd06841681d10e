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
  it('prefers the label, then the first route that fits, then a selector', async () => {
    const routes = [
      { match: { service: 'web' }, topology: 1 },
      { match: { service: 'sh*', team: '*' }, topology: 2 },
      { match: { service: 'shop' }, topology: 3 },
    ];
    const of = async (labels: Record<string, string>) =>
      only((await routeAlerts([withLabels(labels)], routes, selectors)).routed);
    expect(await of({ service: 'shop', consilium_topology: '9' })).toEqual([9]);
    expect(await of({ service: 'shop', team: 'a' })).toEqual([2]);
    const { routed } = await routeAlerts([alertOf('1')], [], selectors);
    expect([only(routed), routed[0]?.suspects]).toEqual([[7], ['api']]);
  });

  it('does not take a property of all objects for a label', async () => {
    const routes: AlertRoute[] = [
      { match: { toString: '*x' }, topology: 1 },
      { match: { constructor: '' }, topology: 2 },
    ];
    const { routed } = await routeAlerts([alertOf('1')], routes, []);
    expect(only(routed)).toEqual([2]);
  });

  it.each(['0', '-1', '1e3', '1.5', '', '9'.repeat(30)])(
    'does not take the label %j for a topology',
    async (consilium_topology) =>
      expect(
        (await routeAlerts([withLabels({ consilium_topology })], [], [])).ignored,
      ).toHaveLength(1),
  );

  it('makes one group of a storm for each topology', async () => {
    const storm = Array.from({ length: 500 }, (_, i) =>
      alertOf(String(i), { labels: { consilium_topology: String(1 + (i % 2)) } }),
    );
    const { routed, ignored } = await routeAlerts(storm, [], []);
    expect(routed.map(({ alerts }) => alerts.length)).toEqual([250, 250]);
    expect(ignored).toEqual([]);
  });

  it('lets other work run while it compares a storm with many selectors', async () => {
    const storm = Array.from({ length: 50 }, (_, i) => alertOf(String(i)));
    const many = Array.from({ length: 900 }, () => topology(7, 'service!="shop"'));
    let hasRun = false;
    setImmediate(() => void (hasRun = true));
    expect(await routeAlerts(storm, [], many.flatMap(selectorsOfTopology))).toMatchObject({
      ignored: storm,
    });
    expect(hasRun).toBe(true);
  });

  it('looks at the whole topology if one of the routes names no part of it', async () => {
    const routes = [
      { match: { service: 'a' }, topology: 1, nodes: ['a'], cancelOnResolve: true },
      { match: { service: 'b' }, topology: 1, nodes: ['b'], teams: ['t'], cancelOnResolve: true },
      { match: { service: 'c' }, topology: 1 },
    ];
    const of = async (...services: string[]) => {
      const alerts = services.map((service) => withLabels({ service }));
      return (await routeAlerts(alerts, routes, [])).routed[0];
    };
    expect(await of('a', 'b')).toMatchObject({
      nodes: ['a', 'b'],
      teams: ['t'],
      cancelOnResolve: true,
    });
    expect(await of('a', 'c')).toMatchObject({ nodes: [], teams: [], cancelOnResolve: false });
  });
});
