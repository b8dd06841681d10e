import type { KubernetesObject } from '../../domain/telemetry/records.js';
import { keyOfObject, keyOfSubject } from '../../domain/kubernetes/workload.js';
import { expectNamespace } from '../../sources/kubernetes/expect-namespace.js';
import type { KubernetesLists } from '../../sources/ports.js';
import { sourcesOf, take } from '../telemetry.js';
import type { ToolContext } from '../tool.js';
import { subjectOf, type NodeObjects } from './node-objects.js';

/** Maximum objects that are read, of all kinds; a cluster has some thousands in a namespace. */
const MOST_OBJECTS = 20_000;

/** The objects of a cluster, and which of them are a node's. */
export interface ClusterObjects {
  all: readonly KubernetesObject[];
  lists: KubernetesLists;
  subject: NodeObjects;
  own: ReadonlySet<KubernetesObject>;
  /** A key of `own` for findings. */
  keys: ReadonlySet<string>;
  /** Events about `own`. */
  events: readonly KubernetesObject[];
  /** There is more than was read. */
  isPart: boolean;
}

/**
 * Reads the objects of a node's cluster, once for all tools of a diagnosis (the source holds them).
 * @throws SourceError; the signal's reason
 */
export async function readObjects(context: ToolContext): Promise<ClusterObjects> {
  const { node, signal } = context;
  const cluster = sourcesOf(context).kubernetes.find(({ selectors }) => selectors.has(node.id));
  if (cluster === undefined) throw new Error(`${node.id} selects from no source of Kubernetes`);
  const selector = cluster.selectors.get(node.id) ?? '';
  const subject = subjectOf(selector);
  const lists = await cluster.lists(signal);
  expectNamespace(selector, lists.namespaces);
  const { items: all, more } = (await take(cluster.objects(signal), MOST_OBJECTS)) ?? {
    items: [],
    more: false,
  };
  const own = subject.own(all);
  const keys = new Set([...own].map(keyOfObject));
  const events = all.filter((each) => each.kind === 'Event' && keys.has(keyOfSubject(each)));
  return { all, lists, subject, own, keys, events, isPart: more || lists.incomplete };
}
