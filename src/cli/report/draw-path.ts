import type { Report } from '../../domain/diagnosis/finding.js';
import type { KnownNode } from './run-facts.js';

/**
 * The chain of each root cause. If a report has none, the longest path to each root cause: from the
 * node furthest upstream that is unhealthy because of it, along the dependencies. A path passes no
 * node twice, also if dependencies form a circle, as in recorded incidents. O(nodes +
 * dependencies).
 */
export function failurePaths(report: Report, nodes: ReadonlyMap<string, KnownNode>): string[][] {
  const unhealthy = new Set(
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
    known.set(node, []);
    const upstream = (dependents.get(node) ?? []).filter((id) => unhealthy.has(id)).map(pathTo);
    const longest = upstream.reduce((best, path) => (path.length > best.length ? path : best), []);
    const path = [...longest, node];
    known.set(node, path);
    return path;
  };
  return report.root_causes.map(({ node, chain }) => chain ?? pathTo(node));
}
