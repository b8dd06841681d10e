import type { TopologyNode } from '../topology/topology.js';
import { explains } from './explains.js';
import {
  isTrouble,
  symptomOf,
  type Finding,
  type RootCause,
  type Symptom,
  type Unchecked,
} from './finding.js';

/** What is needed to reason over a topology: nodes and what they depend on. */
export type DependencyNode = Pick<TopologyNode, 'id' | 'name' | 'dependsOn'> & { kind?: string };

/** What is not known about the nodes. */
export interface Doubts {
  unchecked?: readonly Unchecked[];
  /** Nodes of which only the transport was measured. */
  transportOnly?: ReadonlySet<string>;
}

export interface Conclusion {
  /** With confidence, chain, kind and what is not excluded; most certain first. */
  rootCauses: RootCause[];
  /** The findings given, those that a root cause explains with a note that says so. */
  findings: Finding[];
  /** Ids of the nodes that are unwell only because of a root cause. */
  downstream: string[];
}

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

export const list = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** Symptoms that nothing outside of the node can cause. */
const OWN: ReadonlySet<Symptom> = new Set(['saturated', 'invalid', 'nameless']);
const MOST_COUNTED = 3;
const NOT_CHECKED = 'not checked';

/**
 * Concludes by rule. A node is unwell when it has a finding that is more than advisory. A root cause is an unwell node with a
 * finding that nothing it depends on explains; a node whose findings are all explained is downstream. Findings that explain
 * each other in a circle of dependencies, with no cause outside of it, are root causes too.
 *
 * The confidence (0..1) rests on rules of thumb: a critical measurement weighs more than a warning, nodes that depend on it
 * and suffer speak for it, and dependencies that are not excluded speak against it. Of several findings of a node the one
 * with the highest confidence counts, so that a measurement that clears one of them cannot raise it.
 */
export function findRootCauses(
  topology: readonly DependencyNode[],
  findings: readonly Finding[],
  doubts: Doubts = {},
): Conclusion {
  const nodes = new Map(topology.map((node) => [node.id, node]));
  const nameOf = (id: string) => nodes.get(id)?.name ?? id;
  const trouble = new Map<string, Finding[]>();
  for (const finding of findings.filter(isTrouble))
    trouble.set(finding.node, [...(trouble.get(finding.node) ?? []), finding]);

  const dependencies = new Map([...trouble.keys()].map((id) => [id, dependenciesOf(nodes, id)]));
  /** The unwell dependencies that may explain a finding. */
  const explanations = new Map(
    [...trouble.values()]
      .flat()
      .map((finding) => [
        finding,
        (dependencies.get(finding.node) ?? []).filter((id) =>
          trouble.get(id)?.some((cause) => explains(cause, finding, nodes.get(id)?.kind)),
        ),
      ]),
  );
  const unexplained = new Map<string, Finding[]>();
  const leave = (id: string, isLeft: (finding: Finding) => boolean) => {
    const left = (trouble.get(id) ?? []).filter(isLeft);
    if (left.length > 0) unexplained.set(id, left);
  };
  for (const id of trouble.keys()) leave(id, (finding) => explanations.get(finding)?.length === 0);
  const first = new Set(unexplained.keys());
  for (const id of trouble.keys())
    if (!first.has(id) && dependencies.get(id)?.every((other) => !first.has(other)))
      if (dependencies.get(id)?.some((other) => dependencies.get(other)?.includes(id)))
        leave(id, () => true);

  const victimsOf = (id: string) =>
    [...trouble.keys()].filter((other) => other !== id && dependencies.get(other)?.includes(id));
  const rootCauses = [...unexplained]
    .map(([id, own]): RootCause => {
      const victims = victimsOf(id);
      const notExcluded = doubtsOf(dependencies.get(id) ?? [], doubts);
      const judged = own
        .map((finding) => judge(finding, victims.length, notExcluded))
        .toSorted((a, b) => b.confidence - a.confidence)[0] as Judged;
      const { finding, confidence, basis } = judged;
      const open = OWN.has(symptomOf(finding)) ? [] : notExcluded;
      return {
        node: id,
        kind: finding.kind ?? 'unknown',
        title: `${nameOf(id)}: ${titleOf(finding)}`,
        confidence,
        evidence: [...new Set(own.flatMap(({ evidence }) => evidence))].toSorted((a, b) => a - b),
        chain: chainTo(id, nodes, new Set(victims)),
        ...(open.length > 0 && { not_excluded: open }),
        basis,
      };
    })
    .toSorted((a, b) => b.confidence - a.confidence || (a.node < b.node ? -1 : 1));

  const roots = new Set(unexplained.keys());
  const restated = findings.map((finding): Finding => {
    // By way of others too: what explains it may itself be explained.
    const causes =
      (explanations.get(finding)?.length ?? 0) === 0
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

/** A bare duration does not say that it is too long. */
const titleOf = ({ title, symptom }: Finding): string =>
  symptom === 'slow' && !/slow|late|longer|after/.test(title) ? `is slow: ${title}` : title;

function doubtsOf(
  dependencies: readonly string[],
  { unchecked = [], transportOnly = new Set() }: Doubts,
): { node: string; reason: string }[] {
  const unknown = new Set(unchecked.map(({ node }) => node));
  return dependencies.flatMap((node) => {
    if (unknown.has(node)) return [{ node, reason: NOT_CHECKED }];
    return transportOnly.has(node)
      ? [
          {
            node,
            reason: 'only its transport was measured: a port that accepts is no healthy service',
          },
        ]
      : [];
  });
}

interface Judged {
  finding: Finding;
  confidence: number;
  basis: string[];
}

function judge(
  finding: Finding,
  victims: number,
  notExcluded: readonly { node: string; reason: string }[],
): Judged {
  const open = OWN.has(symptomOf(finding)) ? [] : notExcluded;
  const blind = open.some(({ reason }) => reason === NOT_CHECKED);
  const touched = open.some(({ reason }) => reason !== NOT_CHECKED);
  const [base, measured] =
    finding.via !== undefined
      ? [0.68, 'measured through a node that depends on it, not at the node itself']
      : finding.severity === 'critical'
        ? [0.85, 'a critical issue was measured at the node itself']
        : [0.7, 'only a warning was measured at the node'];
  const confidence =
    base + Math.min(victims, MOST_COUNTED) * 0.04 - (blind ? 0.3 : 0) - (touched ? 0.12 : 0);
  const basis = [
    measured,
    victims > 0
      ? `${victims} ${victims === 1 ? 'node that depends on it is' : 'nodes that depend on it are'} unwell too`
      : '',
    blind ? 'something that it depends on could not be checked' : '',
    touched ? 'something that it depends on was only reached at the transport level' : '',
  ].filter((text) => text !== '');
  return { finding, confidence: Math.round(Math.max(0.05, confidence) * 100) / 100, basis };
}

/** The longest way that trouble took to a node: from the unwell node furthest upstream, down the dependencies, to the node. */
function chainTo(
  node: string,
  nodes: ReadonlyMap<string, DependencyNode>,
  victims: ReadonlySet<string>,
): string[] {
  const known = new Map<string, string[]>();
  const pathFrom = (id: string): string[] => {
    if (id === node) return [node];
    const done = known.get(id);
    if (done !== undefined) return done;
    known.set(id, []);
    const ways = (nodes.get(id)?.dependsOn ?? [])
      .filter((next) => next === node || victims.has(next))
      .map(pathFrom)
      .filter((way) => way.length > 0);
    const longest = ways.reduce((best, way) => (way.length > best.length ? way : best), []);
    const path = longest.length === 0 ? [] : [id, ...longest];
    known.set(id, path);
    return path;
  };
  return [...victims]
    .map(pathFrom)
    .reduce((best, way) => (way.length > best.length ? way : best), [node]);
}
