import type { Topology, TopologyNode } from '../topology/topology.js';
import { isFailure, ofOtherKind, type Finding, type RootCause, type Symptom } from './finding.js';
import { complaintIn } from './hints-at-dependencies.js';
import type { Measurement } from './measurement.js';
import { quotedWords, some } from './wording.js';

/** What is known about the dependencies of a root cause. */
export interface DependencyContext {
  nodes: Topology['nodes'];
  /** Measured findings. */
  measured: readonly Finding[];
  /** Statements of failing answers about other nodes, as information. */
  hints: readonly Finding[];
  /** Nodes whose service was measured, without an issue. */
  well: ReadonlySet<string>;
  measurements: readonly Measurement[];
}

/**
 * By how much the confidence in a root cause is reduced if a dependency is not excluded as the
 * cause of a measured failure.
 */
const LESS_SURE = 0.12;

/**
 * Completes a root cause with what is known about its direct dependencies. Text of a probed system
 * makes no node a cause, rules none out, and changes no confidence; it only suggests where to look
 * next. Contract section 6.
 */
export function completeCause(cause: RootCause, known: DependencyContext): RootCause {
  const dependencies = known.nodes.find(({ id }) => id === cause.node)?.dependsOn ?? [];
  const near = known.nodes.filter(({ id }) => dependencies.includes(id));
  if (near.length === 0) return cause;
  return [readdress, nameHinted, missCredential, doubtUnhealthy, doubtWay, doubtFewTries].reduce(
    (made, complete) => complete(made, near, known),
    cause,
  );
}

type Completion = (
  cause: RootCause,
  near: readonly TopologyNode[],
  known: DependencyContext,
) => RootCause;

const BAD_GATEWAY = 502;

/**
 * A gateway that cannot reach a healthy dependency: the address, the port or the network between
 * them is at fault.
 */
const readdress: Completion = (cause, near, { measured, well, measurements }) => {
  const isGateway = measured.some(
    ({ node, http_status: status }) => node === cause.node && status === BAD_GATEWAY,
  );
  if (!isGateway || !near.every(({ id }) => well.has(id))) return cause;
  const named = new Set(
    measurements
      .filter(({ node, issues }) => node === cause.node && issues.some(isFailure))
      .flatMap(({ mentions = [] }) => mentions.map(({ node }) => node)),
  );
  const meant = near.filter(({ id }) => named.has(id));
  const names = (meant.length > 0 ? meant : near).map(({ name }) => name);
  return {
    ...ofOtherKind(cause, 'wrong-address'),
    title: `${cause.title}; cannot reach ${names.join(' or ')}, which ${names.length === 1 ? 'is' : 'are'} healthy: check address, port and the network between them`,
  };
};

/** A failing answer that names a dependency which no measurement decides about. */
const nameHinted: Completion = (cause, near, { hints }) => {
  const own = hints.filter(
    ({ node, via }) => via === cause.node && near.some(({ id }) => id === node),
  );
  const [first] = own;
  if (!first) return cause;
  const titles = new Map(own.map(({ node, title }) => [node, title]));
  return {
    ...cause,
    title: `${cause.title}; ${first.title}, which was not measured itself`,
    not_excluded: (cause.not_excluded ?? []).map((doubt) => {
      const said = titles.get(doubt.node);
      return said === undefined ? doubt : { ...doubt, reason: `${said}; ${doubt.reason}` };
    }),
  };
};

/** A status, or its text, with which a dependency refuses a credential. */
const REFUSES = /(?<![\w.-])40[13](?! ?m?s\b)(?![\w.-])|unauthori[sz]ed|forbidden/i;

/**
 * A node that fails because access is denied while a dependency answers and requires credentials:
 * the node's own credentials are at fault.
 */
const missCredential: Completion = (cause, near, { nodes, measured }) => {
  const saysSo = measured.some(
    ({ node, symptom, title, detail }) =>
      node === cause.node &&
      symptom === 'erroring' &&
      [title, detail].some((text) => REFUSES.test(quotedWords(text))),
  );
  // Text alone decides nothing: that the dependency refuses a caller was measured.
  if (cause.kind !== 'auth' && !(cause.kind === 'exception' && saysSo)) return cause;
  const strict = near.filter(({ id }) =>
    measured.some(
      ({ node, kind, severity }) => node === id && kind === 'auth' && severity === 'info',
    ),
  );
  if (strict.length === 0) return cause;
  const names = some(strict.map(({ name }) => name));
  const sender = nodes.find(({ id }) => id === cause.node)?.name ?? cause.node;
  return {
    ...ofOtherKind(cause, 'auth'),
    steps: 'auth-of-another',
    title: `${cause.title}; ${names} can be reached and ${strict.length === 1 ? 'demands' : 'demand'} credentials: look at those that ${sender} sends`,
  };
};

/** Symptoms to which an unhealthy dependency may contribute. */
const OF_CALLS: readonly (Symptom | undefined)[] = ['unreachable', 'erroring', 'slow'];

/** An unhealthy dependency that does not explain the failure may still contribute to it. */
const doubtUnhealthy: Completion = (cause, near, { measured }) => {
  if (!OF_CALLS.includes(cause.symptom) || cause.kind === 'wrong-address') return cause;
  const unhealthy = new Set(measured.filter(isFailure).map(({ node }) => node));
  const reason = 'it is also unhealthy, but that does not explain this failure';
  const doubted = near.flatMap(({ id }) => (unhealthy.has(id) ? [{ node: id, reason }] : []));
  return lessSure(cause, doubted, 'one of its dependencies is also unhealthy');
};

/**
 * A node that cannot use a dependency that was measured as healthy: the network between them or the
 * node's configuration is at fault.
 */
const doubtWay: Completion = (cause, near, { nodes, well, measurements }) => {
  const sender = nodes.find(({ id }) => id === cause.node)?.name ?? cause.node;
  const said = new Map(
    measurements
      .filter(({ node, issues }) => node === cause.node && issues.some(isFailure))
      .flatMap(({ mentions = [] }) =>
        mentions.map(({ node, failure }): [string, string] => [node, failure]),
      ),
  );
  return withDoubts(
    cause,
    near.flatMap(({ id, name }) => {
      const failure = said.get(id);
      if (failure === undefined || !well.has(id)) return [];
      const reason = `${sender} reports that ${name} ${complaintIn(failure)}, and the diagnosis measured it as healthy: check network, credentials and configuration between them`;
      return [{ node: id, reason }];
    }),
  );
};

const withDoubts = (cause: RootCause, doubts: NonNullable<RootCause['not_excluded']>): RootCause =>
  doubts.length === 0
    ? cause
    : { ...cause, not_excluded: [...(cause.not_excluded ?? []), ...doubts] };

/** Doubts that rest on measurements alone lower the confidence; the words of a target do not. */
function lessSure(
  cause: RootCause,
  doubts: NonNullable<RootCause['not_excluded']>,
  why: string,
): RootCause {
  if (doubts.length === 0) return cause;
  return {
    ...withDoubts(cause, doubts),
    confidence: Math.round(Math.max(0.05, cause.confidence - LESS_SURE) * 100) / 100,
    basis: [...(cause.basis ?? []), why],
  };
}

/**
 * If a node fails intermittently, a dependency that was tried less often may also fail, unobserved.
 */
const doubtFewTries: Completion = (cause, near, { measured, well, measurements }) => {
  const failures = measured.filter((finding) => finding.node === cause.node && isFailure(finding));
  if (failures.length === 0 || !failures.every(({ intermittent }) => intermittent)) return cause;
  const triesOf = (id: string) =>
    Math.max(...measurements.filter(({ node }) => node === id).map(({ tries }) => tries));
  const own = triesOf(cause.node);
  const doubted = near.flatMap(({ id }) => {
    const tries = triesOf(id);
    if (!well.has(id) || tries >= own) return [];
    const reason = `it answered ${tries} ${tries === 1 ? 'try' : 'tries'}: a failure now and then may not have shown`;
    return [{ node: id, reason }];
  });
  return lessSure(cause, doubted, 'something that it depends on was tried less often');
};
