import type { Telemetry, Topology } from '../topology/topology.js';
import { providesOf } from '../topology/recorded.js';
import type { Unchecked } from './finding.js';
import type { Measurement } from './measurement.js';
import type { TelemetryGap } from './measured-ranking.js';
import { latestRanking } from './ranked-causes.js';

/** What changed says nothing about whether a node works. */
const isOfHealth = (telemetry: string): boolean => telemetry !== 'changes';

/**
 * Why telemetry of nodes is missing in the latest ranking, by the id of the node. What was not read is neither well nor absent,
 * whether an agent has asked a tool for it or not. Contract section 6.
 */
export function unreadTelemetry(
  { nodes, sources }: Pick<Topology, 'nodes' | 'sources'>,
  all: readonly Measurement[],
): Map<string, Omit<Unchecked, 'node'>> {
  const unread = new Map<string, Omit<Unchecked, 'node'>>();
  const ranking = latestRanking(all);
  for (const gap of gapsOf(ranking))
    for (const node of nodes) {
      const isOpen =
        gap.nodes?.includes(node.id) ?? providesOf(node, sources, gap.telemetry as Telemetry);
      if (!isOpen || unread.has(node.id)) continue;
      unread.set(node.id, {
        reason: gap.forbidden ? 'FORBIDDEN' : 'SOURCE_UNAVAILABLE',
        detail: `Its ${gap.telemetry} could not be read: ${gap.reason}`,
        ...(ranking && { evidence: [ranking.sequence] }),
      });
    }
  return unread;
}

function gapsOf(latest: Measurement | undefined): TelemetryGap[] {
  const { gaps = [], unread = [] } = latest?.ranking ?? {};
  const given = gaps.length > 0 ? gaps : unread.map(gapIn);
  return given.filter(({ telemetry }) => isOfHealth(telemetry));
}

/** @param words `logs: the server answers 503` */
function gapIn(words: string): TelemetryGap {
  const at = words.indexOf(': ');
  return { telemetry: words.slice(0, at), reason: words.slice(at + 2), forbidden: false };
}
