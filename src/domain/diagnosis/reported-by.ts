import type { Topology } from '../topology/topology.js';
import { isTrouble, type Finding, type Symptom } from './finding.js';
import { issueKind } from './issue-kind.js';
import type { Measurement } from './measurement.js';

/** Words by which programs say what is wrong with something that they use: a phrase for people, and its symptom. */
const COMPLAINTS: readonly [RegExp, string, Symptom][] = [
  [/connection slots|too many (?:clients|connections)/i, 'has no free connections', 'saturated'],
  [/oom command not allowed|out of memory/i, 'is out of memory', 'saturated'],
  [/no space left/i, 'has no space left', 'saturated'],
  [/too many requests|\b429\b|rate.?limit/i, 'limits its rate', 'saturated'],
  [/econnrefused|refused|refuses connections/i, 'refuses connections', 'unreachable'],
  [/enotfound|not resolve|getaddrinfo|translate host name/i, 'cannot be found by name', 'nameless'],
  [/etimedout|timed? ?out/i, 'does not answer in time', 'slow'],
  [/econnreset|reset|hung up|closed the connection/i, 'closes connections', 'erroring'],
  [
    /authentication failed|access denied|noauth|wrongpass|permission denied/i,
    'refuses the credentials',
    'erroring',
  ],
  [/ehostunreach|enetunreach|no route|unreachable/i, 'cannot be reached', 'unreachable'],
];

/**
 * Findings about dependencies that a node's own errors name: "App reports that Postgres refuses connections". Only a direct
 * dependency can be named so, only if `isOpen` says that no measurement decides about it, and with the node's own result as
 * evidence: the text of a probed system can point at a neighbour, never clear one.
 */
export function reportedDependencies(
  { nodes }: Pick<Topology, 'nodes'>,
  measurements: readonly Measurement[],
  isOpen: (node: string) => boolean,
): Finding[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const reported = new Map<string, Finding>();
  for (const { node: by, sequence, issues, mentions = [] } of measurements)
    for (const { node: id, failure, symptom: told } of issues.some(isTrouble) ? mentions : []) {
      const [node, dependency] = [byId.get(by), byId.get(id)];
      if (!node?.dependsOn.includes(id) || !dependency || !isOpen(id)) continue;
      const known = reported.get(id);
      if (known) {
        if (known.via === by) known.evidence.push(sequence);
        continue;
      }
      const complaint = COMPLAINTS.find(([pattern]) => pattern.test(failure));
      const [, phrase, meant] = complaint ?? [null, 'fails', 'erroring' as const];
      const symptom = told ?? meant;
      reported.set(id, {
        ...{ node: id, severity: 'critical', symptom, origin: 'measured' },
        title: `${node.name} reports that ${dependency.name} ${phrase}`,
        detail: `Measured through ${node.name}, which says: ${failure}`,
        evidence: [sequence],
        kind: issueKind({ symptom, title: phrase, detail: failure }),
        via: by,
      });
    }
  return [...reported.values()];
}
