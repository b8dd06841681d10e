import type { Finding, RootCause, Symptom, Unchecked } from './finding.js';
import type { TopologyNode } from '../topology/topology.js';

/** What is needed to reason over a topology: nodes and what they depend on. */
export type DependencyNode = Pick<TopologyNode, 'id' | 'name' | 'dependsOn'> & { kind?: string };

export interface Conclusion {
  rootCauses: RootCause[];
  /** The findings given, those that are merely downstream of a root cause saying so. */
  findings: Finding[];
  /** Ids of the nodes that are unwell only because of a root cause. */
  downstream: string[];
}

/** A symptom of a node, by which kinds of trouble in something that it depends on it may be explained. */
const EXPLAINED_BY: Record<Symptom, readonly Symptom[]> = {
  unreachable: ['unreachable', 'nameless', 'erroring', 'saturated'],
  erroring: ['unreachable', 'nameless', 'erroring', 'slow', 'saturated', 'invalid'],
  slow: ['unreachable', 'nameless', 'erroring', 'slow', 'saturated'],
  // Only by name service, whatever is wrong with that: see `mayExplain`.
  nameless: [],
  // Its own resource, its own certificate: nothing that it depends on can be blamed for it.
  saturated: [],
  invalid: [],
  advisory: [],
};

const symptomOf = (finding: Finding): Symptom =>
  finding.symptom ?? (finding.severity === 'critical' ? 'erroring' : 'advisory');

/** @param kind of the node with the cause */
const mayExplain = (symptom: Symptom, cause: Symptom, kind: string | undefined): boolean =>
  symptom === 'nameless' ? kind === 'dns' : EXPLAINED_BY[symptom].includes(cause);

/** Everything that a node depends on, directly or not, nearest first. Safe on any graph. */
function dependenciesOf(nodes: ReadonlyMap<string, DependencyNode>, id: string): string[] {
  const seen = new Set<string>([id]);
  const queue = [id];
  for (let i = 0; i < queue.length; i++)
    for (const next of nodes.get(queue[i] as string)?.dependsOn ?? [])
      if (!seen.has(next)) {
        seen.add(next);
        queue.push(next);
      }
  return queue.slice(1);
}

const list = (names: string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/**
 * Concludes by rule. A node is unhealthy when it has a finding that is more than advisory. A root cause is an unhealthy
 * node with a finding that nothing it depends on explains; what is explained is downstream, and says so.
 */
export function findRootCauses(
  topology: readonly DependencyNode[],
  findings: readonly Finding[],
  unchecked: readonly Unchecked[] = [],
): Conclusion {
  const nodes = new Map(topology.map((node) => [node.id, node]));
  const nameOf = (id: string) => nodes.get(id)?.name ?? id;
  const unknown = new Set(unchecked.map(({ node }) => node));
  const trouble = new Map<string, Finding[]>();
  for (const finding of findings)
    if (finding.severity !== 'info' && symptomOf(finding) !== 'advisory')
      trouble.set(finding.node, [...(trouble.get(finding.node) ?? []), finding]);

  const dependencies = new Map([...trouble.keys()].map((id) => [id, dependenciesOf(nodes, id)]));
  /** The unhealthy dependencies that may explain a finding. */
  const explanations = (finding: Finding): string[] =>
    (dependencies.get(finding.node) ?? []).filter((id) =>
      trouble
        .get(id)
        ?.some((cause) => mayExplain(symptomOf(finding), symptomOf(cause), nodes.get(id)?.kind)),
    );

  const unexplained = new Map<string, Finding[]>();
  for (const [id, own] of trouble) {
    const left = own.filter((finding) => explanations(finding).length === 0);
    if (left.length > 0) unexplained.set(id, left);
  }

  const explained = (id: string) =>
    [...trouble.keys()].filter((other) => other !== id && dependencies.get(other)?.includes(id));
  const rootCauses = [...unexplained]
    .map(([id, own]): RootCause => {
      const first = own.toSorted((a, b) =>
        a.severity === b.severity ? 0 : a.severity === 'critical' ? -1 : 1,
      )[0] as Finding;
      const blind = (dependencies.get(id) ?? []).some((dependency) => unknown.has(dependency));
      const victims = explained(id).length;
      // Rules of thumb: a critical measurement weighs more than a warning, symptoms upstream that it explains speak for it,
      // and what could not be looked at speaks against it.
      const confidence =
        (first.severity === 'critical' ? 0.85 : 0.7) +
        Math.min(victims, 3) * 0.04 -
        (blind ? 0.3 : 0);
      return {
        node: id,
        title: `${nameOf(id)}: ${first.title}`,
        confidence: Math.round(confidence * 100) / 100,
        evidence: [...new Set(own.flatMap((finding) => finding.evidence))].toSorted(
          (a, b) => a - b,
        ),
      };
    })
    .toSorted((a, b) => b.confidence - a.confidence);

  const roots = new Set(rootCauses.map(({ node }) => node));
  const restated = findings.map((finding): Finding => {
    if (finding.severity === 'info' || symptomOf(finding) === 'advisory') return finding;
    // By way of others too: what explains it may itself be explained.
    const causes =
      explanations(finding).length === 0
        ? []
        : (dependencies.get(finding.node) ?? []).filter((id) => roots.has(id));
    const note = `Downstream of ${list(causes.map(nameOf))}, which it depends on.`;
    return causes.length === 0 || finding.detail.includes(note)
      ? finding
      : { ...finding, detail: `${finding.detail} ${note}`.trim() };
  });
  return {
    rootCauses,
    findings: restated,
    downstream: [...trouble.keys()].filter((id) => !unexplained.has(id)),
  };
}
