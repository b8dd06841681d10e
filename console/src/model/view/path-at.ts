import type { RunModel } from '../run-model.js';
import { causesAt } from './findings-at.js';

/** The path of the failure: from unhealthy nodes to the causes. */
export interface FailurePath {
  /** `DEPENDENT>DEPENDENCY` */
  edges: ReadonlySet<string>;
  /** Those of `edges` whose dependency is affected by the dependent. */
  against: ReadonlySet<string>;
  nodes: ReadonlySet<string>;
}

export const edgeKey = (from: string, to: string): string => `${from}>${to}`;

/**
 * A failure of a node shows at what depends on it. A cause can also use up what it shares with
 * others: what it depends on is affected then, if the report says so, and what depends on that.
 */
export function pathAt(model: RunModel, seq: number): FailurePath {
  const causes = causesAt(model, seq).map((cause) => cause.node);
  const edges = new Set<string>();
  const against = new Set<string>();
  const nodes = new Set(causes);
  const dependents = dependentsOf(model);
  const shows = showingAt(model, seq);
  const queue = [...causes];
  const reach = (node: string): void => {
    if (nodes.has(node)) return;
    nodes.add(node);
    queue.push(node);
  };
  for (const cause of causes)
    for (const shared of affectedBelow(model, cause)) {
      edges.add(edgeKey(cause, shared));
      against.add(edgeKey(cause, shared));
      reach(shared);
    }
  for (let node = queue.pop(); node !== undefined; node = queue.pop())
    for (const dependent of dependents.get(node) ?? []) {
      if (!shows.has(dependent)) continue;
      const key = edgeKey(dependent, node);
      if (against.has(key)) continue;
      edges.add(key);
      reach(dependent);
    }
  return { edges, against, nodes };
}

const isUnhealthy = (model: RunModel, node: string, seq: number): boolean =>
  ['warning', 'critical', 'root'].includes(model.health(node, seq));

/**
 * Unhealthy nodes, and nodes that were not checked and that an unhealthy one depends on: a failure
 * may have come through them.
 */
function showingAt(model: RunModel, seq: number): Set<string> {
  const showing = new Set([...model.nodes.keys()].filter((node) => isUnhealthy(model, node, seq)));
  for (const node of showing)
    for (const needed of model.nodes.get(node)?.dependsOn ?? [])
      if (['unknown', 'unchecked'].includes(model.health(needed, seq))) showing.add(needed);
  return showing;
}

/** What a cause depends on and what the report calls affected. */
function affectedBelow({ nodes, report }: RunModel, cause: string): string[] {
  const isAffected = (id: string): boolean =>
    report?.nodes?.find(({ node }) => node === id)?.state === 'downstream';
  return (nodes.get(cause)?.dependsOn ?? []).filter(isAffected);
}

function dependentsOf(model: RunModel): Map<string, string[]> {
  const dependents = new Map<string, string[]>();
  for (const { id, dependsOn } of model.nodes.values())
    for (const dependency of dependsOn)
      dependents.set(dependency, [...(dependents.get(dependency) ?? []), id]);
  return dependents;
}

/** By node: those that its failure spread to. */
function spreadAt(model: RunModel, seq: number): Map<string, string[]> {
  const { edges, against } = pathAt(model, seq);
  const victims = new Map<string, string[]>();
  for (const edge of edges) {
    const at = edge.indexOf('>');
    const from = edge.slice(0, at);
    const to = edge.slice(at + 1);
    const [source, victim] = against.has(edge) ? [from, to] : [to, from];
    victims.set(source, [...(victims.get(source) ?? []), victim]);
  }
  return victims;
}

/**
 * Longer lines of dependence than this are not searched: a report's own `chain` has no such bound.
 */
const MOST_STEPS = 64;

/**
 * The line from the outermost unhealthy node down to a cause: what the report says (`chain`), else,
 * or if that names the cause only, the longest one that the failure can have taken.
 */
export function chainAt(model: RunModel, cause: string, seq: number): string[] {
  const chain = causesAt(model, seq).find(({ node }) => node === cause)?.chain;
  if (chain && chain.length > 1) return chain.at(-1) === cause ? chain : chain.toReversed();
  const victims = spreadAt(model, seq);
  const longest = new Map<string, string[]>();
  const open = new Set<string>();
  const search = (node: string): string[] => {
    const known = longest.get(node);
    if (known) return known;
    let best: string[] = [];
    open.add(node);
    if (open.size < MOST_STEPS)
      for (const victim of victims.get(node) ?? []) {
        const line = open.has(victim) ? [] : search(victim);
        if (line.length > best.length) best = line;
      }
    open.delete(node);
    const line = [...best, node];
    longest.set(node, line);
    return line;
  };
  return search(cause);
}

/** Unhealthy nodes that the failure of a cause spread to, directly or not. */
export function explainedBy(model: RunModel, cause: string, seq: number): string[] {
  const victims = spreadAt(model, seq);
  const reached = new Set([cause]);
  for (const node of reached) for (const victim of victims.get(node) ?? []) reached.add(victim);
  reached.delete(cause);
  return [...reached].filter((node) => isUnhealthy(model, node, seq));
}
