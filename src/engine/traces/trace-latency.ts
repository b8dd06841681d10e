import { median, quantile } from '../stats.js';
import { kindOfText } from '../../domain/failure-texts/kind-of-text.js';
import type { TracePhase, Trace, TraceSpan } from './trace-tree.js';

/** How much slower requests have become because of a node. */
export interface LatencyShare {
  node: string;
  /**
   * Extra time, as a share of all time that the requests usually take: 1 means that requests take
   * twice as long.
   */
  share: number;
  /** Its parts: spent in the node itself, and lost on the way to or from it. */
  ownShare: number;
  networkShare: number;
  /** The operation, or `caller>callee`, that lost most. */
  worst: string;
}

const LEAST_TRACES = 3;

interface Group {
  name: string;
  node: string;
  /** Set if the time is the gap between a caller and a callee at another node. */
  callee?: string;
  samples: Record<TracePhase, number[]>;
  /** Extra ms in the incident, beyond the usual time. */
  extraMs: number;
  /** Share of the spans of the incident that are affected. */
  affected: number;
}

/**
 * Which nodes make requests slow: the own time of spans (see `buildTraces`) against that of the
 * same operation in normal time. Time between a caller and a callee at another node counts for
 * both, as far as all calls into the callee are affected: a node that is slow to reach is so for
 * all of its callers. Own time on the critical path is the idea of Mystery Machine (Chow et al.,
 * OSDI 2014) and CRISP (Zhang et al., ATC 2022).
 */
export function latencyShares(traces: readonly Trace[]): LatencyShare[] {
  const incident = traces.filter(({ phase }) => phase === 'incident');
  const reference = traces.filter(({ phase }) => phase !== 'incident');
  if (incident.length < LEAST_TRACES || reference.length < LEAST_TRACES) return [];
  const groups = groupSpans(traces).map(measure);
  const usualMs = Math.max(1, median(reference.map(({ durationMs }) => durationMs)));
  const total = incident.length * usualMs;
  const nodes = new Set(
    groups.flatMap(({ node, callee }) => (callee === undefined ? [node] : [node, callee])),
  );
  return [...nodes].map((node) => shareOf(node, groups, total)).sort((a, b) => b.share - a.share);
}

/** Status codes of a gateway and of gRPC for a timeout. */
const TOO_LONG = /\b(HTTP 504|gRPC 4)\b/;

/**
 * A failed call reports how it failed. Its duration is meaningful only if it failed because it took
 * too long.
 */
const isMeasure = ({ error }: TraceSpan): boolean =>
  error === undefined || TOO_LONG.test(error) || kindOfText(error)?.kind === 'timeout';

function groupSpans(traces: readonly Trace[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { spans } of traces)
    for (const { node = '', remote, operation, phase, ownMs } of spans.filter(isMeasure)) {
      const callee = remote?.node;
      const name = callee === undefined ? operation : `${node}>${callee}`;
      let group = groups.get(name);
      if (group === undefined) {
        const samples = { baseline: [], before: [], incident: [] };
        group = {
          name,
          node,
          samples,
          extraMs: 0,
          affected: 0,
          ...(callee !== undefined && { callee }),
        };
        groups.set(name, group);
      }
      group.samples[phase].push(ownMs);
    }
  return [...groups.values()];
}

/**
 * Time beyond the limit, minus that of normal time: the limit is 1.5 times the 90th percentile and
 * 5 ms more.
 */
function measure(group: Group): Group {
  const { baseline, before, incident } = group.samples;
  const usual = baseline.length > 0 ? baseline : before;
  if (usual.length === 0 || incident.length === 0) return group;
  const limit = (usual.length < 3 ? Math.max(...usual) * 3 : quantile(usual, 0.9) * 1.5) + 5;
  const over = (list: readonly number[]) =>
    list.reduce((sum, ms) => sum + Math.max(0, ms - limit), 0);
  const extraMs = Math.max(0, over(incident) - (over(usual) / usual.length) * incident.length);
  const affected = incident.filter((ms) => ms > limit).length / incident.length;
  return { ...group, extraMs, affected };
}

function shareOf(node: string, groups: readonly Group[], total: number): LatencyShare {
  const own = groups.filter((group) => group.node === node && group.callee === undefined);
  const edges = groups.filter(
    ({ node: caller, callee, samples }) =>
      callee !== undefined && (callee === node || caller === node) && samples.incident.length > 0,
  );
  const into = edges.filter(({ callee }) => callee === node);
  const hit = affectedShare(into.length > 0 ? into : edges);
  const sum = (list: readonly Group[]) => list.reduce((all, { extraMs }) => all + extraMs, 0);
  const ownShare = sum(own) / total;
  const networkShare = (sum(edges) * hit) / total;
  const worst = [...own, ...edges].sort((a, b) => b.extraMs - a.extraMs)[0]?.name ?? node;
  return { node, share: ownShare + networkShare, ownShare, networkShare, worst };
}

function affectedShare(edges: readonly Group[]): number {
  const calls = edges.reduce((sum, { samples }) => sum + samples.incident.length, 0);
  const hit = edges.reduce(
    (sum, { affected, samples }) => sum + affected * samples.incident.length,
    0,
  );
  return calls === 0 ? 0 : hit / calls;
}
