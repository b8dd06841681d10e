import { groupBy } from '../../../lib/group-by.js';
import type { Telemetry, Topology } from '../../topology/topology.js';
import { providesOf } from '../../topology/recorded.js';
import type { Unchecked } from '../finding.js';
import type { Measurement } from '../measurement.js';
import type { TelemetryGap } from '../measured-ranking.js';
import { latestRanking } from '../ranked-causes.js';

/** A change does not show whether a node works. */
const isOfHealth = ({ telemetry }: TelemetryGap): boolean => telemetry !== 'changes';

type Nodes = Pick<Topology, 'nodes' | 'sources'>;

/**
 * Why telemetry of nodes is missing in the latest ranking, by the id of the node. Unread telemetry
 * is neither healthy nor absent, whether an agent has asked a tool for it or not. Contract section
 * 6.
 */
export function unreadTelemetry(
  topology: Nodes,
  all: readonly Measurement[],
): Map<string, Omit<Unchecked, 'node'>> {
  const ranking = latestRanking(all);
  const gaps = gapsOf(ranking).filter(isOfHealth);
  return new Map(
    topology.nodes.flatMap(({ id }): [string, Omit<Unchecked, 'node'>][] => {
      const own = gaps.filter((gap) => nodesOf(gap, topology).includes(id));
      const [first] = own;
      if (first === undefined) return [];
      const evidence = ranking && { evidence: [ranking.sequence] };
      const reason = first.forbidden ? 'FORBIDDEN' : 'SOURCE_UNAVAILABLE';
      return [[id, { reason, detail: detailOf(own), ...evidence }]];
    }),
  );
}

/** Changes that the latest ranking could not read. */
export interface UnreadChanges {
  nodes: string[];
  reason: string;
  /** The sequence number of the ranking. */
  evidence: number[];
}

/**
 * The nodes whose changes the latest ranking could not read, and why: they may be healthy, but a
 * cause may be missing.
 */
export function unreadChanges(topology: Nodes, all: readonly Measurement[]): UnreadChanges[] {
  const ranking = latestRanking(all);
  if (ranking === undefined) return [];
  return gapsOf(ranking)
    .filter((gap) => !isOfHealth(gap))
    .map((gap) => ({
      nodes: nodesOf(gap, topology),
      reason: gap.reason,
      evidence: [ranking.sequence],
    }));
}

/** The nodes that the gap names, otherwise all with the telemetry. */
const nodesOf = ({ nodes, telemetry }: TelemetryGap, topology: Nodes): string[] =>
  nodes ??
  topology.nodes
    .filter((node) => providesOf(node, topology.sources, telemetry as Telemetry))
    .map(({ id }) => id);

/** `Its kubernetes and logs could not be read: REASON; its metrics could not be read: REASON` */
function detailOf(gaps: readonly TelemetryGap[]): string {
  const parts = [...groupBy(gaps, ({ reason }) => reason)].map(([reason, same]) => {
    const what = [...new Set(same.map(({ telemetry }) => telemetry))].join(' and ');
    return `its ${what} could not be read: ${reason}`;
  });
  return parts.join('; ').replace(/^its/, 'Its');
}

function gapsOf(latest: Measurement | undefined): TelemetryGap[] {
  const { gaps = [], unread = [] } = latest?.ranking ?? {};
  return gaps.length > 0 ? gaps : unread.map(gapIn);
}

/** @param words `logs: the server answers 503` */
function gapIn(words: string): TelemetryGap {
  const at = words.indexOf(': ');
  return { telemetry: words.slice(0, at), reason: words.slice(at + 2), forbidden: false };
}
