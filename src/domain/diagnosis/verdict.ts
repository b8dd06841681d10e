import { joinSentences } from '../../lib/text.js';
import type { Topology } from '../topology/topology.js';
import {
  isFailure,
  type Finding,
  type NodeHealth,
  type RootCause,
  type Severity,
  type Unchecked,
  type Verdict,
} from './finding.js';
import type { PassedFailure } from './measured-ranking.js';
import { comesFromBelow } from './unhealthy-summary.js';
import { ONLY_RECORDED } from './unchecked/unchecked.js';
import { ENDED_EARLY, some, withoutName } from './wording.js';

/** Maximum root causes in a headline; the rest is a number. */
const MOST_TITLES = 5;

export const countFindings = (
  findings: readonly Pick<Finding, 'severity'>[],
): Record<Severity, number> => ({
  critical: findings.filter((f) => f.severity === 'critical').length,
  warning: findings.filter((f) => f.severity === 'warning').length,
  info: findings.filter((f) => f.severity === 'info').length,
});

const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** How every summary ends (contract section 6): `Found 2 warnings, 0 critical issues.` */
export const countsSentence = ({ warning, critical }: Record<Severity, number>): string =>
  `Found ${plural(warning, 'warning')}, ${plural(critical, 'critical issue')}.`;

/**
 * Contract section 6.
 * @param incomplete an agent failed or is partial, or telemetry over time was not ranked, which may
 *   contain a cause that no single node shows
 */
export function verdictOf(
  rootCauses: readonly RootCause[],
  findings: readonly Finding[],
  unchecked: readonly Unchecked[],
  incomplete: boolean,
): Verdict {
  if (rootCauses.length > 0) return 'root_cause_found';
  if (findings.some((f) => f.severity !== 'info')) return 'issues_found';
  return incomplete || unchecked.length > 0 ? 'inconclusive' : 'healthy';
}

type Cause = Pick<RootCause, 'node' | 'title' | 'confidence' | 'symptom' | 'not_excluded'>;

/**
 * The unchecked dependencies of a root cause, direct or not, that may have a part in the failure.
 */
export const uncheckedBelow = (
  { symptom, not_excluded: doubts = [] }: Pick<RootCause, 'symptom' | 'not_excluded'>,
  unchecked: readonly Unchecked[],
): string[] =>
  symptom !== undefined && !comesFromBelow(symptom)
    ? []
    : doubts.map(({ node }) => node).filter((id) => unchecked.some(({ node }) => node === id));

/** A cause with less confidence is more likely not the cause. */
const LIKELY = 0.5;

/**
 * `is the root cause`; of a node that may only be affected by what was not checked, and of one that
 * is more likely not to be the cause: `may be the root cause`.
 */
export function isRootCause(
  cause: Pick<RootCause, 'confidence' | 'symptom' | 'not_excluded'>,
  unchecked: readonly Unchecked[],
): string {
  const isSure = cause.confidence >= LIKELY && uncheckedBelow(cause, unchecked).length === 0;
  return `${isSure ? 'is' : 'may be'} the root cause`;
}

/**
 * A sentence about the root causes: `Payments is the root cause: answers 500.`, or `2 root causes.
 * Payments: answers 500. Stock: is full.`
 * @param rootCauses at least one; their titles begin with the name of their node
 */
export function causesSentence(
  rootCauses: readonly Cause[],
  nameOf: (node: string) => string,
  unchecked: readonly Unchecked[] = [],
): string {
  const [first] = rootCauses;
  if (first && rootCauses.length === 1) {
    const name = nameOf(first.node);
    const title = withoutName(name, first.title);
    return joinSentences(`${name} ${isRootCause(first, unchecked)}: ${title}`);
  }
  const titles = rootCauses.slice(0, MOST_TITLES).map(({ title }) => title);
  const rest = rootCauses.length - titles.length;
  const more = rest > 0 ? [`And ${rest} more`] : [];
  // The text of a system may end with its own full stop.
  return joinSentences(`${rootCauses.length} root causes`, ...titles, ...more);
}

/**
 * `Web is affected by it.` If there are several root causes, it names those that explain others.
 * @param affected names, at least one
 */
export function affectedSentence(
  rootCauses: readonly Pick<RootCause, 'node' | 'explains'>[],
  affected: readonly string[],
  nameOf: (node: string) => string,
): string {
  const explaining = rootCauses.filter(({ explains = [] }) => explains.length > 0);
  const several = explaining.length > 0 ? some(explaining.map(({ node }) => nameOf(node))) : 'them';
  const from = rootCauses.length < 2 ? 'it' : several;
  return `${some(affected)} ${affected.length === 1 ? 'is' : 'are'} affected by ${from}.`;
}

interface Facts {
  topology: Pick<Topology, 'nodes'>;
  verdict: Verdict;
  rootCauses: readonly RootCause[];
  findings: readonly Finding[];
  unchecked: readonly Unchecked[];
  nodes: readonly NodeHealth[];
  ended: 'completed' | 'cut';
  /** An agent failed or is partial. */
  incomplete: boolean;
  /** Errors that are over. */
  passed?: PassedFailure | undefined;
  /** What contradicts the alert. */
  refutation?: string | undefined;
}

const namer = ({ topology }: Pick<Facts, 'topology'>) => {
  const names = new Map(topology.nodes.map(({ id, name }) => [id, name]));
  return (id: string) => names.get(id) ?? id;
};

/** Unchecked nodes below the root causes: the fault may be there. */
const unseenBelow = (
  { rootCauses, unchecked }: Pick<Facts, 'rootCauses' | 'unchecked'>,
  nameOf: (node: string) => string,
): string[] =>
  rootCauses.slice(0, MOST_TITLES).flatMap((cause) => {
    const unseen = uncheckedBelow(cause, unchecked).map(nameOf);
    if (unseen.length === 0) return [];
    const were = unseen.length === 1 ? 'was' : 'were';
    return `${nameOf(cause.node)} depends on ${some(unseen)}, which ${were} not checked.`;
  });

/** The other unchecked nodes: they may fail independently. */
function uncheckedApart(
  { rootCauses, unchecked }: Pick<Facts, 'rootCauses' | 'unchecked'>,
  nameOf: (node: string) => string,
): string[] {
  const below = new Set(
    rootCauses.slice(0, MOST_TITLES).flatMap((cause) => uncheckedBelow(cause, unchecked)),
  );
  const open = unchecked.filter(({ node, reason }) => reason !== 'NOT_ASKED' && !below.has(node));
  if (open.length === 0) return [];
  const names = some(open.map(({ node }) => nameOf(node)));
  return [`${names} ${open.length === 1 ? 'was' : 'were'} not checked.`];
}

/** Nodes with a finding of their own that are no root cause and are not affected by one. */
function unhealthyApart({ rootCauses, nodes }: Pick<Facts, 'rootCauses' | 'nodes'>): string[] {
  const causes = new Set(rootCauses.map(({ node }) => node));
  return nodes
    .filter(({ node, state }) => (state === 'degraded' || state === 'failed') && !causes.has(node))
    .map(({ node }) => node);
}

/** `Box (load of 11 per core) deserves attention.` */
function attention(facts: Facts, nodes: readonly string[]): string {
  const nameOf = namer(facts);
  const named = nodes.map((node) => {
    const found = facts.findings.find((each) => each.node === node && each.severity !== 'info');
    return found ? `${nameOf(node)} (${found.title})` : nameOf(node);
  });
  return `${some(named)} ${named.length === 1 ? 'deserves' : 'deserve'} attention.`;
}

/** Names the nodes of which only reachability was measured; empty if there are none. */
export function reachedOnly(
  nodes: readonly NodeHealth[],
  nameOf: (node: string) => string,
): string[] {
  const names = nodes.flatMap(({ node, reached_only }) => (reached_only ? [nameOf(node)] : []));
  if (names.length === 0) return [];
  const what =
    names.length === 1 ? 'it answers, not that it works' : 'they answer, not that they work';
  return [`Of ${some(names)} it was only measured that ${what}.`];
}

/** One or two sentences about what is wrong. */
export function headlineOf(facts: Facts): string {
  const { verdict, rootCauses, findings, unchecked, topology, ended, incomplete } = facts;
  const nameOf = namer(facts);
  const apart = unhealthyApart(facts);
  const stopped = ended === 'cut' ? `${ENDED_EARLY} ` : '';
  switch (verdict) {
    case 'root_cause_found':
      return [
        causesSentence(rootCauses, nameOf, unchecked),
        ...unseenBelow(facts, nameOf),
        ...(apart.length > 0 ? [`Apart from that, ${attention(facts, apart)}`] : []),
        ...uncheckedApart(facts, nameOf),
      ].join(' ');
    case 'issues_found': {
      const serious = findings.filter(({ severity }) => severity !== 'info');
      const nodes = [...new Set(serious.map(({ node }) => node))];
      const found = serious.some(isFailure)
        ? `Issues were found at ${some(nodes.map(nameOf))}${onlyTitle(serious)}.`
        : `Nothing is failing; ${attention(facts, nodes)}`;
      return [`${stopped}${found}`, ...uncheckedApart(facts, nameOf)].join(' ');
    }
    case 'inconclusive': {
      const open = some(unchecked.map(({ node }) => nameOf(node)));
      if (unchecked.length > 0)
        return `${stopped}Nothing wrong was measured, but ${unchecked.length} of ${plural(topology.nodes.length, 'node')} could not be checked: ${open}.`;
      if (ended === 'cut') return stopped.trim();
      return `Nothing wrong was measured, but ${incomplete ? 'not every agent could finish its work' : 'the telemetry was not ranked over all nodes'}.`;
    }
    case 'healthy': {
      const all =
        topology.nodes.length === 1
          ? 'Healthy: the one node was measured, and nothing is wrong with it.'
          : `Healthy: all ${topology.nodes.length} nodes were measured, and nothing is wrong with them.`;
      return [all, ...over(facts), ...reachedOnly(facts.nodes, nameOf)].join(' ');
    }
  }
}

/**
 * `Cart had errors from 2026-01-05T09:00:00.000Z until 2026-01-05T09:08:00.000Z, and none since.`
 */
function over({ passed, refutation, ...facts }: Facts): string[] {
  if (refutation !== undefined) return [`An alert fired, but ${refutation}.`];
  if (passed === undefined) return [];
  return [
    `${namer(facts)(passed.node)} had errors from ${passed.from} until ${passed.until}, and none since.`,
  ];
}

/** The text of a single finding, for use in a sentence. */
const onlyTitle = ([first, ...others]: readonly Finding[]): string =>
  first === undefined || others.length > 0 ? '' : `: ${first.title}`;

/** Returns which other nodes are affected. */
export function impactOf(facts: Facts): string {
  const { verdict, rootCauses, nodes, unchecked } = facts;
  if (verdict === 'healthy') return 'No node is affected.';
  const nameOf = namer(facts);
  const affected = nodes
    .filter(({ state }) => state === 'downstream')
    .map(({ node }) => nameOf(node));
  if (affected.length > 0) return affectedSentence(rootCauses, affected, nameOf);
  const apart = unhealthyApart(facts);
  if (rootCauses.length > 0)
    return apart.length === 0
      ? 'No other node is measurably affected.'
      : `No other node is measurably affected by ${rootCauses.length === 1 ? 'it' : 'them'}.`;
  if (apart.length > 0) return `Affected: ${some(apart.map(nameOf))}.`;
  const unknown = nodes.filter(({ state }) => state === 'unknown').length;
  if (unknown === 0) return 'No node is measurably affected.';
  if (unknown === nodes.length)
    return unchecked.length > 0 && unchecked.every(({ detail }) => detail === ONLY_RECORDED)
      ? 'Not known: only records were read, and they show no failure.'
      : 'Not known: no node was checked.';
  return `No checked node is affected; ${unknown} ${unknown === 1 ? 'was' : 'were'} not checked.`;
}
