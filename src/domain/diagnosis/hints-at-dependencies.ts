import type { Topology } from '../topology/topology.js';
import { kindOfText } from '../failure-texts/kind-of-text.js';
import type { FailureKind } from './failure-kind.js';
import { isFailure, type Finding } from './finding.js';
import { kindOf } from './issue-kind.js';
import type { Measurement } from './measurement.js';

/** What is wrong with a dependency of a program, for people. */
const PHRASES: Partial<Record<FailureKind, string>> = {
  auth: 'refuses the credentials',
  'connection-pool-exhausted': 'has no free connections',
  'disk-full': 'has no space left',
  dns: 'cannot be found by name',
  'out-of-memory': 'is out of memory',
  'rate-limited': 'limits its rate',
  timeout: 'does not answer in time',
  unreachable: 'cannot be reached',
};
/** How a connection fails, which its kind does not show. */
const CONNECTIONS: readonly [RegExp, string][] = [
  [/refused|refuses connections/i, 'refuses connections'],
  [/econnreset|reset|h[au]ng up|closed the connection/i, 'closes connections'],
];

/** The kind that a failing answer states about a dependency of its node. */
function statedKindIn(failure: string): Pick<Finding, 'kind' | 'stated'> {
  const detail = `It said: "${failure}".`;
  const { kind, stated } = kindOf({ symptom: 'erroring', title: '', detail });
  return { kind, ...(stated && { stated }) };
}

/** The statement of a failing answer about a dependency of its node: "refuses connections". */
export function complaintIn(failure: string): string {
  const kind = kindOfText(failure)?.kind;
  const ofKind = kind && PHRASES[kind];
  const connection = CONNECTIONS.find(([pattern]) => pattern.test(failure))?.[1];
  return (kind === 'unreachable' ? (connection ?? ofKind) : (ofKind ?? connection)) ?? 'fails';
}

/**
 * The statements of a failing node's errors about its dependencies: "App reports that Postgres
 * refuses connections". They are hints where to look, as information: the text of a probed system
 * may be wrong or hostile, so it makes no other node a cause and rules none out. Only a direct
 * dependency can be named so, and only if `isOpen` returns that no measurement decides about it.
 * Contract section 6.
 */
export function hintsAtDependencies(
  { nodes }: Pick<Topology, 'nodes'>,
  measurements: readonly Measurement[],
  isOpen: (node: string) => boolean,
): Finding[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const hints = new Map<string, Finding>();
  for (const { node: by, sequence, issues, mentions = [] } of measurements)
    for (const { node: id, failure } of issues.some(isFailure) ? mentions : []) {
      const node = byId.get(by);
      const dependency = byId.get(id);
      if (!node?.dependsOn.includes(id) || !dependency || !isOpen(id)) continue;
      const phrase = complaintIn(failure);
      const key = JSON.stringify([by, id]);
      const known = hints.get(key);
      if (known) {
        if (!known.evidence.includes(sequence)) known.evidence.push(sequence);
        continue;
      }
      hints.set(key, {
        node: id,
        severity: 'info',
        symptom: 'advisory',
        origin: 'measured',
        title: `${node.name} reports that ${dependency.name} ${phrase}`,
        detail: `Not measured at ${dependency.name} itself. ${node.name} says: "${failure}".`,
        evidence: [sequence],
        ...statedKindIn(failure),
        via: by,
      });
    }
  for (const { evidence } of hints.values()) evidence.sort((a, b) => a - b);
  return [...hints.values()];
}
