import type { RunModel } from '../run-model.js';
import { causesAt } from './findings-at.js';

/** The way of the trouble: from nodes that are unwell to the causes they depend on. */
export interface TroublePath {
  /** `DEPENDENT>DEPENDENCY` */
  edges: ReadonlySet<string>;
  nodes: ReadonlySet<string>;
}

export const edgeKey = (from: string, to: string): string => `${from}>${to}`;

export function pathAt(model: RunModel, seq: number): TroublePath {
  const causes = causesAt(model, seq).map((cause) => cause.node);
  const edges = new Set<string>();
  const nodes = new Set(causes);
  const dependents = dependentsOf(model);
  const queue = [...causes];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const dependent of dependents.get(node) ?? []) {
      if (!['warning', 'critical', 'root'].includes(model.health(dependent, seq))) continue;
      edges.add(edgeKey(dependent, node));
      if (nodes.has(dependent)) continue;
      nodes.add(dependent);
      queue.push(dependent);
    }
  }
  return { edges, nodes };
}

function dependentsOf(model: RunModel): Map<string, string[]> {
  const dependents = new Map<string, string[]>();
  for (const { id, dependsOn } of model.nodes.values())
    for (const dependency of dependsOn)
      dependents.set(dependency, [...(dependents.get(dependency) ?? []), id]);
  return dependents;
}

/** Longer lines of dependence than this are not searched: a report's own `chain` has no such bound. */
const MOST_STEPS = 64;

/**
 * The line from the outermost unwell node down to a cause: what the report says (`chain`), else, or if that names the cause
 * only, the longest one that the dependences allow.
 */
export function chainAt(model: RunModel, cause: string, seq: number): string[] {
  const chain = causesAt(model, seq).find(({ node }) => node === cause)?.chain;
  if (chain && chain.length > 1) return chain.at(-1) === cause ? chain : chain.toReversed();
  const { edges } = pathAt(model, seq);
  const above = new Map<string, string[]>();
  for (const edge of edges) {
    const at = edge.indexOf('>');
    const [from, to] = [edge.slice(0, at), edge.slice(at + 1)];
    above.set(to, [...(above.get(to) ?? []), from]);
  }
  const longest = new Map<string, string[]>();
  const search = (node: string, depth: number): string[] => {
    const known = longest.get(node);
    if (known) return known;
    let best: string[] = [];
    if (depth < MOST_STEPS)
      for (const up of above.get(node) ?? []) {
        const line = search(up, depth + 1);
        if (line.length > best.length) best = line;
      }
    const line = [...best, node];
    longest.set(node, line);
    return line;
  };
  return search(cause, 0);
}

/** Unwell nodes that depend on a cause, directly or not. */
export function explainedBy(model: RunModel, cause: string, seq: number): string[] {
  const { nodes } = pathAt(model, seq);
  return [...nodes].filter((node) => node !== cause && dependsOn(model, node, cause));
}

function dependsOn(model: RunModel, from: string, to: string): boolean {
  const seen = new Set<string>();
  const queue = [from];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (node === to) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    queue.push(...(model.nodes.get(node)?.dependsOn ?? []));
  }
  return false;
}
