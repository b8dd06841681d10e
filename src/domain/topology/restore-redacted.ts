import { redactUrls } from '../../lib/redact-urls.js';
import type { Topology } from './topology.js';

type Entries = Record<string, unknown>;
const isRecord = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Restores passwords if a client sends back a redacted topology: a string that equals the redacted
 * form of the stored one at the same place becomes the stored one. Nodes are matched by id. A
 * password is never copied to another host, because the string differs then; validation asks for
 * the password.
 *
 * @param given what the client sent, of any shape
 */
export function restoreRedacted(given: unknown, stored: Topology): unknown {
  if (!isRecord(given) || !Array.isArray(given['nodes'])) return restore(given, stored);
  const known = new Map(stored.nodes.map((node) => [node.id, node]));
  const nodes = given['nodes'].map((node: unknown) =>
    isRecord(node) ? restore(node, known.get(node['id'] as string)) : node,
  );
  return { ...(restore({ ...given, nodes: [] }, stored) as Entries), nodes };
}

/** Recursion is bounded by the depth of the stored value. */
function restore(given: unknown, stored: unknown): unknown {
  if (typeof given === 'string' && typeof stored === 'string')
    return given === redactUrls(stored) ? stored : given;
  if (Array.isArray(given) && Array.isArray(stored))
    return given.map((item: unknown, index) => restore(item, stored[index]));
  if (!isRecord(given) || !isRecord(stored)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, item]) => [
      key,
      Object.hasOwn(stored, key) ? restore(item, stored[key]) : item,
    ]),
  );
}
