import type { KubernetesObject } from '../telemetry/records.js';
import { isSelected } from './cluster.js';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';

/** The object that a node of a topology represents. */
export interface Workload {
  name: string;
  /** Absent: an object of any kind. */
  kind?: string;
  namespace?: string;
}

const KINDS: Readonly<Record<string, string>> = {
  pod: 'Pod',
  deployment: 'Deployment',
  statefulset: 'StatefulSet',
  daemonset: 'DaemonSet',
  job: 'Job',
  cronjob: 'CronJob',
  service: 'Service',
};

/** All objects of a source. */
export const EVERYTHING = '*';

const SELECTOR = new RegExp(
  `^(?:([a-z0-9-]{1,63})/)?(${Object.keys(KINDS).join('|')})/([a-z0-9.-]{1,253})$`,
);

/** `deployment/orders` or `shop/deployment/orders`; undefined for other texts. */
export function workloadIn(selector: string): Workload | undefined {
  const [, namespace, kind = '', name = ''] = SELECTOR.exec(selector) ?? [];
  const known = KINDS[kind];
  if (known === undefined) return undefined;
  return { name, kind: known, ...(namespace !== undefined && { namespace }) };
}

/**
 * The objects of a workload, without events: the workload itself, what it owns (owner references of
 * the Kubernetes API), the services of its pods, their ingresses, its claims, its autoscaler and
 * its disruption budget. A service of the same name belongs to it, too: one that selects no pod
 * could not be assigned otherwise.
 */
export function objectsOf(
  workload: Workload,
  objects: readonly KubernetesObject[],
): ReadonlySet<KubernetesObject> {
  const others = objects.filter(
    ({ kind, namespace }) =>
      kind !== 'Event' &&
      (workload.namespace ?? namespace) === namespace &&
      namespace !== undefined,
  );
  const seeds = others.filter(
    ({ kind, name }) =>
      name === workload.name &&
      (workload.kind === undefined || kind === workload.kind || kind === 'Service'),
  );
  const own = new Set(seeds);
  const selectors = seeds.flatMap((seed) => podSelectorOf(seed) ?? []);
  for (const each of others)
    if (each.kind === 'Pod' && selectors.some((selector) => isSelected(selector, labelsOf(each))))
      own.add(each);
  addOwned(own, others);
  const related = others.filter((each) => isRelated(each, [...own]));
  related.forEach((each) => own.add(each));
  for (const each of others) if (ROUTES.has(each.kind) && leadsTo(each, own)) own.add(each);
  return own;
}

/** A service that a node represents belongs to the pods that it selects. */
const podSelectorOf = ({ kind, object }: KubernetesObject): Fields | undefined =>
  kind === 'Service' ? fieldsOf(fieldsOf(object['spec'])['selector']) : undefined;

const labelsOf = ({ object }: KubernetesObject): Fields =>
  fieldsOf(fieldsOf(object['metadata'])['labels']);

/** Whether an owner reference of an object names one of these. */
function isOwned({ namespace, object }: KubernetesObject, owners: ReadonlySet<string>): boolean {
  return listOf(fieldsOf(object['metadata'])['ownerReferences']).some((owner) =>
    owners.has(`${textOf(owner['kind'])} ${namespace} ${textOf(owner['name'])}`),
  );
}

/**
 * A deployment owns replica sets, which own pods; a cron job owns jobs, which own pods. Changes the
 * set.
 */
function addOwned(own: Set<KubernetesObject>, others: readonly KubernetesObject[]): void {
  for (let before = -1; before !== own.size;) {
    before = own.size;
    const keys = new Set([...own].map(keyOfObject));
    for (const each of others) if (isOwned(each, keys)) own.add(each);
  }
}

function isRelated(each: KubernetesObject, own: readonly KubernetesObject[]): boolean {
  const spec = fieldsOf(each.object['spec']);
  const mine = own.filter(({ namespace }) => namespace === each.namespace);
  const labels = mine.flatMap((one) => podLabelsOf(one));
  switch (each.kind) {
    case 'Service':
      return labels.some((one) => isSelected(spec['selector'], one));
    case 'PodDisruptionBudget':
      return labels.some((one) => isSelected(fieldsOf(spec['selector'])['matchLabels'], one));
    case 'HorizontalPodAutoscaler': {
      const target = fieldsOf(spec['scaleTargetRef']);
      return mine.some(({ kind, name }) => kind === target['kind'] && name === target['name']);
    }
    case 'PersistentVolumeClaim':
      return mine.some((one) => claimsOf(one).includes(each.name));
    default:
      return false;
  }
}

/** Labels of a pod, or of the pods that an object makes. */
function podLabelsOf(each: KubernetesObject): Fields[] {
  if (each.kind === 'Pod') return [labelsOf(each)];
  const template = fieldsOf(fieldsOf(each.object['spec'])['template']);
  return template['metadata'] === undefined
    ? []
    : [fieldsOf(fieldsOf(template['metadata'])['labels'])];
}

function claimsOf({ kind, object }: KubernetesObject): string[] {
  const spec = fieldsOf(object['spec']);
  const pod = kind === 'Pod' ? spec : fieldsOf(fieldsOf(spec['template'])['spec']);
  return listOf(pod['volumes']).map((volume) =>
    textOf(fieldsOf(volume['persistentVolumeClaim'])['claimName']),
  );
}

/** Kinds that lead requests to services. */
const ROUTES = new Set(['Ingress', 'HTTPRoute']);

function leadsTo(
  { namespace, object }: KubernetesObject,
  own: ReadonlySet<KubernetesObject>,
): boolean {
  const spec = fieldsOf(object['spec']);
  const paths = listOf(spec['rules']).flatMap((rule) => listOf(fieldsOf(rule['http'])['paths']));
  const backends = [
    ...paths.map(({ backend }) => fieldsOf(backend)),
    fieldsOf(spec['defaultBackend']),
  ];
  const names = [
    ...backends.map((backend) => textOf(fieldsOf(backend['service'])['name'])),
    ...listOf(spec['rules'])
      .flatMap((rule) => listOf(rule['backendRefs']))
      .map(({ name }) => textOf(name)),
  ];
  return [...own].some(
    (each) => each.kind === 'Service' && each.namespace === namespace && names.includes(each.name),
  );
}

/** `kind namespace name`, which names an object. */
export const keyOfObject = ({
  kind,
  namespace = '',
  name,
}: Pick<KubernetesObject, 'kind' | 'namespace' | 'name'>): string => `${kind} ${namespace} ${name}`;

/** The key of the object that an event is about. */
export function keyOfSubject({ object }: KubernetesObject): string {
  const about = fieldsOf(object['involvedObject'] ?? object['regarding']);
  return ['kind', 'namespace', 'name'].map((field) => textOf(about[field])).join(' ');
}

/** Kinds that belong to the cluster, and not to one workload. */
const CLUSTER_KINDS = new Set([
  'Node',
  'PersistentVolume',
  'StorageClass',
  'IngressClass',
  'GatewayClass',
]);

/**
 * The objects that a selector selects, without events: a workload, or a name, which also selects
 * the objects whose names begin with it and a dash, since a recording may lack owner references. A
 * machine of the cluster has its own object, and those without a workload.
 */
export function selectObjects(
  selector: string,
  objects: readonly KubernetesObject[],
): ReadonlySet<KubernetesObject> {
  const others = objects.filter(({ kind }) => kind !== 'Event');
  if (selector === EVERYTHING) return new Set(others);
  const workload = workloadIn(selector);
  if (workload) return objectsOf(workload, objects);
  return new Set(
    others.filter(({ kind, name }) =>
      CLUSTER_KINDS.has(kind)
        ? kind === 'Node' && name === selector
        : name === selector || name.startsWith(`${selector}-`),
    ),
  );
}

/**
 * Whether a name is that of a workload, or of a pod or replica set that Kubernetes named after it.
 */
const isNamed = (name: string, selector: string): boolean =>
  name === selector ||
  (name.startsWith(`${selector}-`) &&
    /^(-[a-z0-9]{6,10})?(-[a-z0-9]{5}|-\d{1,4})?$/.test(name.slice(selector.length)));

const nameOfSubject = ({ object }: KubernetesObject): string =>
  textOf(fieldsOf(object['involvedObject'] ?? object['regarding'])['name']);

/**
 * The objects of each node with the events about them, by name if the object itself was not
 * recorded. A node that selects everything has the objects that no other node selects.
 */
export function objectsByNode(
  objects: readonly KubernetesObject[],
  selectors: ReadonlyMap<string, string>,
): Map<string, KubernetesObject[]> {
  const taken = new Set<KubernetesObject>();
  const byNode = new Map<string, KubernetesObject[]>();
  const known = new Set(objects.map(keyOfObject));
  const wide = (selector: string) => Number(selector === EVERYTHING);
  for (const [node, selector] of [...selectors].toSorted((a, b) => wide(a[1]) - wide(b[1]))) {
    const own = [...selectObjects(selector, objects)].filter(
      (each) => selector !== EVERYTHING || !taken.has(each),
    );
    own.forEach((each) => taken.add(each));
    const keys = new Set(own.map(keyOfObject));
    const isAbout = (each: KubernetesObject) =>
      keys.has(keyOfSubject(each)) ||
      (!known.has(keyOfSubject(each)) && isNamed(nameOfSubject(each), selector));
    const events = objects.filter((each) => each.kind === 'Event' && isAbout(each));
    byNode.set(node, [...own, ...events]);
  }
  return byNode;
}
