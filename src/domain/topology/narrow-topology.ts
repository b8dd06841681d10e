import type { Fault } from '../errors.js';
import { allowed, quote } from '../../lib/text.js';
import type { Topology } from './topology.js';

/**
 * The part of a topology that a run is to examine, by id of node and name of team. Both together:
 * the union.
 */
export interface Scope {
  nodes?: readonly string[] | undefined;
  teams?: readonly string[] | undefined;
}

/**
 * A topology whose teams examine only a part of it. Its nodes stay, so that the dependencies of the
 * part are still known; the others are reported as `NOT_ASKED`.
 * @returns the topology itself if nothing is named; faults for names that are not in it, or that no
 *   worker examines
 */
export function narrowTopology(
  topology: Topology,
  { nodes = [], teams = [] }: Scope,
): { topology: Topology } | { faults: Fault[] } {
  if (nodes.length + teams.length === 0) return { topology };
  const ids = topology.nodes.map(({ id }) => id);
  const names = topology.teams.map(({ name }) => name);
  const faults = [...faultsOf('nodes', nodes, ids), ...faultsOf('teams', teams, names)];
  if (faults.length > 0) return { faults };
  const scope = new Set([
    ...nodes,
    ...topology.teams.flatMap((team) => (teams.includes(team.name) ? team.nodes : [])),
  ]);
  const narrowed = topology.teams.flatMap((team) => {
    const workers = team.workers.filter(({ node }) => scope.has(node));
    return workers.length === 0
      ? []
      : [{ ...team, nodes: team.nodes.filter((id) => scope.has(id)), workers }];
  });
  if (narrowed.length === 0)
    return { faults: [{ path: 'nodes', message: 'no agent of the topology looks at them' }] };
  return { topology: { ...topology, teams: narrowed, scope: [...scope] } };
}

const faultsOf = (key: string, given: readonly string[], known: readonly string[]): Fault[] =>
  given.flatMap((name, i) =>
    known.includes(name)
      ? []
      : [{ path: `${key}[${i}]`, message: `there is no ${quote(name)}: ${allowed(name, known)}` }],
  );
