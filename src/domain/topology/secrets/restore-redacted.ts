import { isRecord, isSameJson } from '../../../lib/json.js';
import { shownText } from './redact-topology.js';
import type { Steps } from '../../../lib/steps.js';
import type { Topology, TopologyNode } from '../topology.js';

type Entries = Record<string, unknown>;

/**
 * Restores passwords if a client sends back a redacted topology: a string that equals the redacted
 * form of the stored one at the same place becomes the stored one. A node, matched by its id, gets
 * its passwords back only if nothing else of it has changed: they are never used for another host,
 * path or check than the one that they were given for. Validation asks for a password that is
 * missing. Node by node.
 *
 * @param given what the client sent, of any shape
 */
export function* restoreRedacted(given: unknown, stored: Topology): Steps<unknown> {
  if (!isRecord(given) || !Array.isArray(given['nodes'])) return restore(given, stored);
  const known = new Map(stored.nodes.map((node) => [node.id, node]));
  const nodes: unknown[] = [];
  for (const node of given['nodes'] as unknown[]) {
    yield;
    nodes.push(isRecord(node) ? restoreNode(node, known.get(node['id'] as string)) : node);
  }
  return { ...(restore({ ...given, nodes: [] }, stored) as Entries), nodes };
}

function restoreNode(given: Entries, stored: TopologyNode | undefined): unknown {
  const restored = restore(given, stored);
  return isSameJson(withDefaults(restored), withDefaults(stored)) ? restored : given;
}

/** A node may omit empty fields. */
const withDefaults = (node: unknown): unknown =>
  isRecord(node) ? { dependsOn: [], attributes: {}, ...node } : node;

/** Recursion is bounded by the depth of the stored value. */
function restore(given: unknown, stored: unknown, name = ''): unknown {
  if (typeof given === 'string' && typeof stored === 'string')
    return given === shownText(stored, name) ? stored : given;
  if (Array.isArray(given) && Array.isArray(stored))
    return given.map((item: unknown, index) => restore(item, stored[index], name));
  if (!isRecord(given) || !isRecord(stored)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, item]) => [
      key,
      Object.hasOwn(stored, key) ? restore(item, stored[key], key) : item,
    ]),
  );
}
