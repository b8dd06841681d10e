import { sourceSchema } from '../../domain/topology/schema/source-schema.js';
import type { TopologySource } from '../../domain/topology/topology.js';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.js';

/** The attribute of a recording that replaces a node's selection, for some kinds of sources. */
const ATTRIBUTES: Partial<Record<TopologySource['kind'], string>> = {
  kubernetes: 'kubernetes',
  alertmanager: 'alerts',
};

/**
 * A node in the form of a recording: without selectors, which belong to live sources. Its workload,
 * and the alerts about it, become attributes.
 * @param sources of its topology, not checked
 * @returns also the sources that it selected from
 */
export function withoutSelectors(
  node: JsonObject,
  sources: Json | undefined,
): { node: JsonObject; selected: TopologySource[] } {
  const { in: selectors, ...bare } = node;
  if (!isJsonObject(selectors)) return { node: bare, selected: [] };
  const selected = (Array.isArray(sources) ? sources : []).flatMap((source) => {
    const { success, data } = sourceSchema.safeParse(source);
    return success && selectors[data.id] !== undefined ? [data] : [];
  });
  const named = selected.flatMap(({ id, kind }): [string, Json][] => {
    const name = ATTRIBUTES[kind];
    const selector = selectors[id];
    return name === undefined || selector === undefined ? [] : [[name, selector]];
  });
  if (named.length === 0) return { node: bare, selected };
  const own = isJsonObject(bare['attributes']) ? bare['attributes'] : {};
  return { node: { ...bare, attributes: { ...own, ...Object.fromEntries(named) } }, selected };
}
