import type { Report } from '../../domain/diagnosis/finding.js';
import type { KnownNode } from './run-facts.js';

/**
 * The chain of each root cause; in a report without one, the longest way that trouble took to each root cause: from the node furthest upstream that is unwell because of it, down
 * the dependencies, to the root cause itself. O(nodes + dependencies), since dependencies have no circle; were there one all
 * the same, no node is passed twice.
 */
export function troublePaths(report: Report, nodes: ReadonlyMap<string, KnownNode>): string[][] {
  const unwell = new Set(
    report.findings.filter(({ severity }) => severity !== 'info').map(({ node }) => node),
  );
  const dependents = new Map<string, string[]>();
  for (const { id, dependsOn } of nodes.values())
    for (const dependency of dependsOn)
      dependents.set(dependency, [...(dependents.get(dependency) ?? []), id]);

  const known = new Map<string, string[]>();
  const pathTo = (node: string): string[] => {
    const done = known.get(node);
    if (done !== undefined) return done;
    known.set(node, [node]);
    const upstream = (dependents.get(node) ?? []).filter((id) => unwell.has(id)).map(pathTo);
    const longest = upstream.reduce((best, path) => (path.length > best.length ? path : best), []);
    const path = [...longest, node];
    known.set(node, path);
    return path;
  };
  return report.root_causes.map(({ node, chain }) => chain ?? pathTo(node));
}
