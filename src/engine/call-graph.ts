import { fieldsOf, textOf } from '../domain/kubernetes/fields.js';
import type { KubernetesObject, Span } from '../domain/telemetry/records.js';
import { spanKey } from './traces/trace-tree.js';

/** A store with the name of the service that it serves: `orders-db`, `cart-redis`. */
const STORE =
  /[-_.](db|database|sql|mysql|mariadb|postgres|postgresql|pg|mongo|mongodb|redis|valkey|cache|memcached|queue|kafka|rabbitmq|store)$/i;

type Calls = Map<string, Set<string>>;

/** The input that shows which nodes call each other. */
interface CallEvidence {
  nodes: readonly { id: string; dependsOn: readonly string[] }[];
  spans: readonly Span[];
  /** The objects of each node. */
  kubernetesByNode?: ReadonlyMap<string, readonly KubernetesObject[]>;
}

/**
 * The nodes that each node calls: from the topology, from spans, and from the names of stores if
 * neither shows any. Pods need the machine that they run on.
 */
export function callsIn({ nodes, spans, kubernetesByNode = new Map() }: CallEvidence): Calls {
  const calls: Calls = new Map(nodes.map(({ id, dependsOn }) => [id, new Set(dependsOn)]));
  const nodeOf = new Map(
    spans.map(({ traceId, spanId, node }) => [spanKey(traceId, spanId), node]),
  );
  for (const { traceId, parentId, node } of spans) {
    const caller = nodeOf.get(spanKey(traceId, parentId ?? ''));
    if (caller !== undefined && node !== undefined && caller !== node) calls.get(caller)?.add(node);
  }
  for (const [id, objects] of kubernetesByNode)
    for (const { kind, object } of objects) {
      const machine = kind === 'Pod' ? textOf(fieldsOf(object['spec'])['nodeName']) : '';
      if (machine !== id && calls.has(machine)) calls.get(id)?.add(machine);
    }
  const called = new Set([...calls.values()].flatMap((callees) => [...callees]));
  for (const id of calls.keys()) {
    const service = id.replace(STORE, '');
    if (service !== id && !called.has(id) && !calls.get(id)?.has(service))
      calls.get(service)?.add(id);
  }
  return calls;
}

/** The nodes that a node calls, directly or not. */
export function reachOf(id: string, calls: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set(calls.get(id));
  for (const each of reached) for (const next of calls.get(each) ?? []) reached.add(next);
  return reached;
}

/** The nodes with a path to a node, in whichever direction calls go, and the node itself. */
export function connectedTo(
  id: string,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const connected = new Set([id]);
  for (const each of connected)
    for (const [caller, called] of calls) {
      if (caller === each) for (const callee of called) connected.add(callee);
      else if (called.has(each)) connected.add(caller);
    }
  return connected;
}

/** Whether one of two nodes calls the other, directly or not, or both are the same. */
export const isLinked = (
  a: string,
  b: string,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): boolean => a === b || reachOf(a, calls).has(b) || reachOf(b, calls).has(a);
