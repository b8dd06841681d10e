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

const list = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** Names in a sentence; the rest is a number. */
const MOST_NAMED = 5;

/** A few names, and how many more there are. */
export function some(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED;
  return rest > 0 ? list([...names.slice(0, MOST_NAMED), `${rest} more`]) : list(names);
}

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
  /** The unwell nodes that depend on a node, directly or not. */
  const dependents = new Map<string, Set<string>>();
  for (const [id, below] of dependencies)
    for (const other of below) dependents.set(other, (dependents.get(other) ?? new Set()).add(id));
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
      if (dependencies.get(id)?.some((other) => dependents.get(id)?.has(other)))
        leave(id, () => true);

  const rootCauses = [...unexplained]
    .map(([id, own]): RootCause => {
      const victims = dependents.get(id) ?? new Set<string>();
      const notExcluded = doubtsOf(dependencies.get(id) ?? [], doubts);
      const judged = own
        .map((finding) => judge(finding, victims.size, notExcluded))
        .toSorted((a, b) => b.confidence - a.confidence)[0] as Judged;
      const { finding, confidence, basis } = judged;
      const open = OWN.has(symptomOf(finding)) ? [] : notExcluded;
      return {
        node: id,
        kind: finding.kind ?? 'unknown',
        title: `${nameOf(id)}: ${titleOf(finding)}`,
        confidence,
        evidence: [...new Set(own.flatMap(({ evidence }) => evidence))].toSorted((a, b) => a - b),
        chain: chainTo(id, nodes, victims),
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
    const note = `Downstream of ${some(causes.map(nameOf))}, which it depends on.`;
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
  const known = new Map<string, { length: number; next?: string }>([[node, { length: 1 }]]);
  const wayFrom = (id: string): { length: number; next?: string } => {
    const done = known.get(id);
    if (done !== undefined) return done;
    known.set(id, { length: 0 });
    let best: { length: number; next?: string } = { length: 0 };
    for (const next of nodes.get(id)?.dependsOn ?? []) {
      const { length } = next === node || victims.has(next) ? wayFrom(next) : { length: 0 };
      if (length > 0 && length >= best.length) best = { length: length + 1, next };
    }
    known.set(id, best);
    return best;
  };
  let start = node;
  for (const id of victims) if (wayFrom(id).length > wayFrom(start).length) start = id;
  const chain: string[] = [];
  for (let id: string | undefined = start; id !== undefined; id = known.get(id)?.next)
    chain.push(id);
  return chain;
}
