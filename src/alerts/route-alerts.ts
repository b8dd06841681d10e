import { setImmediate } from 'node:timers/promises';
import type { Topology } from '../domain/topology/topology.js';
import type { Alert } from './alert.js';
import type { AlertRoute } from './alerts-file.js';
import { fitsPattern, labelOf, readSelector, type Selector } from './label-matchers.js';
import { SelectorIndex } from './selector-index.js';

/** The label with which a sender names the topology itself. */
export const TOPOLOGY_LABEL = 'consilium_topology';
/** Maximum tests of routes and selectors in one turn of the event loop. */
const MOST_TESTS = 10_000;

/** A node with its selectors in sources of metrics, by which alerts about it are recognised. */
export interface NodeSelector extends Selector {
  topologyId: number;
  node: string;
}

/** The alerts that concern one topology, and how its run is to be started. */
export interface RoutedAlerts {
  topologyId: number;
  alerts: Alert[];
  nodes: string[];
  teams: string[];
  /**
   * Whether the run is cancelled when all of its alerts have resolved: if the routes of all of them
   * say so.
   */
  cancelOnResolve: boolean;
  /**
   * Nodes with a selector that fits the labels. They are named to the run, which checks all nodes.
   */
  suspects: string[];
}

/**
 * The alerts of one topology, the route of each to it, and the nodes with a selector that fits any
 * of them.
 */
interface Group {
  alerts: Alert[];
  routes: (AlertRoute | undefined)[];
  suspects: Set<string>;
}

/** The selectors of a topology that can be tested on the labels of an alert. */
export const selectorsOfTopology = ({ id, nodes }: Topology): NodeSelector[] =>
  nodes.flatMap((node) =>
    Object.values(node.in ?? {}).flatMap((selector) => {
      const read = readSelector(selector);
      return read ? [{ topologyId: id, node: node.id, ...read }] : [];
    }),
  );

/**
 * Finds the topology of each alert: by its label {@link TOPOLOGY_LABEL}, otherwise by the first
 * route that fits, otherwise by the first node whose selector fits. Yields to other work of the
 * process in between.
 */
export async function routeAlerts(
  alerts: readonly Alert[],
  routes: readonly AlertRoute[],
  selectors: readonly NodeSelector[],
): Promise<{ routed: RoutedAlerts[]; ignored: Alert[] }> {
  const index = new SelectorIndex(selectors);
  let tested = 0;
  const groups = new Map<number, Group>();
  const ignored: Alert[] = [];
  for (const alert of alerts) {
    const { labels } = alert;
    if (tested > MOST_TESTS) {
      await setImmediate();
      tested = 0;
    }
    const route = routes.find(({ match }) => fitsRoute(labels, match));
    const { found: nodes, tested: more } = index.fitting(labels);
    tested += routes.length + more;
    const topologyId = namedTopology(labels) ?? route?.topology ?? nodes[0]?.topologyId;
    if (topologyId === undefined) {
      ignored.push(alert);
      continue;
    }
    const group = groups.get(topologyId) ?? { alerts: [], routes: [], suspects: new Set() };
    groups.set(topologyId, group);
    group.alerts.push(alert);
    group.routes.push(route?.topology === topologyId ? route : undefined);
    for (const each of nodes) if (each.topologyId === topologyId) group.suspects.add(each.node);
  }
  const routed = [...groups].map(([topologyId, { alerts: those, routes: theirs, suspects }]) => ({
    topologyId,
    alerts: those,
    ...scopeOf(theirs),
    cancelOnResolve: theirs.every((route) => route?.cancelOnResolve === true),
    suspects: [...suspects],
  }));
  return { routed, ignored };
}

/**
 * The parts of the topology that the routes of the alerts name; the whole topology if one of them
 * names none.
 */
function scopeOf(routes: readonly (AlertRoute | undefined)[]) {
  const parts = routes.map((route) => ({ nodes: route?.nodes ?? [], teams: route?.teams ?? [] }));
  if (parts.some(({ nodes, teams }) => nodes.length + teams.length === 0))
    return { nodes: [], teams: [] };
  return {
    nodes: [...new Set(parts.flatMap(({ nodes }) => nodes))],
    teams: [...new Set(parts.flatMap(({ teams }) => teams))],
  };
}

function namedTopology(labels: Alert['labels']): number | undefined {
  const text = labels[TOPOLOGY_LABEL];
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

const fitsRoute = (labels: Alert['labels'], match: AlertRoute['match']): boolean =>
  Object.entries(match).every(([name, pattern]) => fitsPattern(labelOf(labels, name), pattern));
