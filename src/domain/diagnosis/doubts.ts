import { DependencyGraph, type DependencyNode } from './dependency-graph.js';
import type { RootCause, Unchecked } from './finding.js';

const NOT_CHECKED = 'not checked';
/** Maximum doubts that are named for one root cause. */
export const MOST_DOUBTS = 50;

/** The unknown facts about the nodes. */
export interface Doubts {
  unchecked?: readonly Unchecked[];
  /** Nodes of which only the transport was measured. */
  transportOnly?: ReadonlySet<string>;
}

/** A dependency that may also be the cause, and why it is not excluded. */
export type Doubt = NonNullable<RootCause['not_excluded']>[number];

/** For each node of a graph, by number: its dependencies that are not excluded. */
export function doubtsIn(graph: DependencyGraph, doubts: Doubts): (number: number) => Doubt[] {
  const unknown = new Set((doubts.unchecked ?? []).map(({ node }) => node));
  const reasonOf = (id: string) =>
    unknown.has(id)
      ? NOT_CHECKED
      : doubts.transportOnly?.has(id)
        ? 'it was only measured that it answers, not that it works'
        : undefined;
  const idOf = (number: number) => graph.nodes[number]?.id ?? '';
  const below = graph.below((number) => reasonOf(idOf(number)) !== undefined);
  return (number) =>
    below(number)
      .map(idOf)
      .map((node) => ({ node, reason: reasonOf(node) ?? NOT_CHECKED }));
}

/**
 * Names the dependencies of a root cause that are not excluded, and reduces its confidence. For a
 * root cause that does not come from `findRootCauses`, which does this itself.
 */
export function doubting(
  topology: readonly DependencyNode[],
  doubts: Doubts,
): (cause: RootCause) => RootCause {
  const graph = new DependencyGraph(topology);
  const doubtsOf = doubtsIn(graph, doubts);
  return (cause) => {
    const open = doubtsOf(graph.numberOf(cause.node));
    if (open.length === 0) return cause;
    const { less, basis } = lessSure(open);
    return {
      ...cause,
      confidence: inBounds(cause.confidence - less),
      not_excluded: open.slice(0, MOST_DOUBTS),
      basis: [...(cause.basis ?? []), ...basis],
    };
  };
}

export const inBounds = (confidence: number): number =>
  Math.round(Math.max(0.05, confidence) * 100) / 100;

/**
 * The reduction of the confidence in a root cause if dependencies below it are not excluded, and
 * the reason.
 */
export function lessSure(notExcluded: readonly Doubt[]): { less: number; basis: string[] } {
  const blind = notExcluded.some(({ reason }) => reason === NOT_CHECKED);
  const touched = notExcluded.some(({ reason }) => reason !== NOT_CHECKED);
  return {
    less: (blind ? 0.3 : 0) + (touched ? 0.12 : 0),
    basis: [
      ...(blind ? ['something that it depends on could not be checked'] : []),
      ...(touched ? ['of something that it depends on, it was only measured that it answers'] : []),
    ],
  };
}
