import type { Telemetry, TopologyNode, TopologySource } from './topology.js';

/**
 * Whether the nodes are those of a recorded incident: they need no endpoint, and their dependencies
 * may form cycles, as real call graphs do.
 */
export const isRecorded = (sources: readonly TopologySource[] = []): boolean =>
  sources.some(({ kind }) => kind === 'recording');

/** Whether a source of the topology has this telemetry. */
export const provides = (
  sources: readonly TopologySource[] | undefined,
  telemetry: Telemetry,
): boolean => sources?.some((source) => source.provides.includes(telemetry)) ?? false;

/**
 * Whether a source has this telemetry of a node: a live source has that of the nodes that select
 * from it, a recording that which the node's attribute `recorded` lists. Without this attribute it
 * may have all.
 */
export const providesOf = (
  node: TopologyNode,
  sources: readonly TopologySource[] | undefined,
  telemetry: Telemetry,
): boolean =>
  sources?.some(
    (source) =>
      source.provides.includes(telemetry) &&
      (source.kind === 'recording'
        ? isRecordedOf(node, telemetry)
        : node.in?.[source.id] !== undefined),
  ) ?? false;

/** Whether a recording may have this telemetry of a node. */
export function isRecordedOf(
  { attributes }: Pick<TopologyNode, 'attributes'>,
  telemetry: Telemetry,
): boolean {
  const listed = attributes['recorded'];
  return !Array.isArray(listed) || listed.includes(telemetry);
}

/**
 * Whether the topology has telemetry over time, not only endpoints to probe or results of probes.
 */
export const isObserved = (sources: readonly TopologySource[] | undefined): boolean =>
  sources?.some(({ provides: given }) => given.some((telemetry) => telemetry !== 'probes')) ??
  false;
