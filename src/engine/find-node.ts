/** Labels by which telemetry and alerts name their subject, most specific first. */
const LABELS = [
  'service.name',
  'service',
  'service_name',
  'node',
  'app',
  'app.kubernetes.io/name',
  'app_kubernetes_io_name',
  'application',
  'job',
  'deployment',
  'k8s.deployment.name',
  'statefulset',
  'k8s.statefulset.name',
  'daemonset',
  'k8s.daemonset.name',
  'workload',
  'destination_workload',
  'destination_service_name',
  'destination_service',
  'container',
  'container_name',
  'k8s.container.name',
  'component',
] as const;
const PODS = ['k8s.pod.name', 'pod', 'pod_name'] as const;
const MACHINES = ['instance', 'host', 'hostname', 'host.name'] as const;

/**
 * The suffix of a pod's name that Kubernetes appends to the name of a Deployment, of a StatefulSet,
 * and of a DaemonSet or Job.
 */
const POD_SUFFIXES = [/-[a-z0-9]{6,10}-[a-z0-9]{5}$/, /-\d{1,4}$/, /-[a-z0-9]{5}$/] as const;
/** States that something is a service, and not which one. */
const DECORATION = /-?(service|svc)$/;
const MOST_REMEMBERED = 10_000;

type Labels = Readonly<Record<string, string | undefined>>;

/** A name, and its aliases in telemetry. */
export interface NamedNode {
  id: string;
  names: readonly string[];
}

interface NodeAttributes {
  attributes?: Readonly<Record<string, unknown>>;
}

/** The names of a node in telemetry beside its id: its attribute `telemetry`. */
export function telemetryNames({ attributes }: NodeAttributes): string[] {
  const names: unknown = attributes?.['telemetry'];
  return Array.isArray(names)
    ? names.filter((each): each is string => typeof each === 'string')
    : [];
}

/** How records are assigned to nodes. */
export interface NodeFinder {
  /** The node that labels name; undefined if they name none. */
  find: (labels: Labels) => string | undefined;
  /** The name in the labels, even if no node has it. */
  unknown: (labels: Labels) => string | undefined;
}

/**
 * Finds nodes by labels: the first label whose value is an id or a name of a node; otherwise the
 * name of a pod without its random part; otherwise a value that differs only in spelling:
 * `shop/Cart`, `cart.shop.svc.cluster.local:8080`, `cart_service`. A spelling that two nodes share
 * names none of them.
 */
export function nodeFinder(nodes: readonly NamedNode[]): NodeFinder {
  const exact = new Map<string, string>();
  for (const { id, names } of nodes)
    for (const name of [id, ...names]) if (!exact.has(name)) exact.set(name, id);
  for (const { id } of nodes) exact.set(id, id);
  const loose = looseNames(nodes);
  const remembered = new Map<string, string | undefined>();
  const looselyNamed = (value: string): string | undefined => {
    if (remembered.has(value)) return remembered.get(value);
    const id = spellingsOf(value)
      .map((each) => loose.get(each))
      .find((each) => each !== undefined);
    if (remembered.size < MOST_REMEMBERED) remembered.set(value, id);
    return id;
  };
  const ofPod = (pod: string): string | undefined =>
    exact.get(pod) ??
    POD_SUFFIXES.map((suffix) => exact.get(pod.replace(suffix, ''))).find((id) => id !== undefined);
  return {
    find: (labels) =>
      firstOf(LABELS, labels, (value) => exact.get(value)) ??
      firstOf(PODS, labels, ofPod) ??
      firstOf([...LABELS, ...MACHINES], labels, looselyNamed),
    unknown: (labels) =>
      firstOf(LABELS, labels, (value) => value) ??
      firstOf(PODS, labels, (pod) => pod.replace(POD_SUFFIXES[0], '')),
  };
}

function firstOf(
  names: readonly string[],
  labels: Labels,
  find: (value: string) => string | undefined,
): string | undefined {
  for (const name of names) {
    const value = labels[name];
    const found = value === undefined || value === '' ? undefined : find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The spellings that name exactly one node. */
function looseNames(nodes: readonly NamedNode[]): Map<string, string> {
  const found = new Map<string, Set<string>>();
  for (const { id, names } of nodes)
    for (const name of [id, ...names])
      for (const spelling of [plain(name), stem(name)])
        found.set(spelling, (found.get(spelling) ?? new Set()).add(id));
  return new Map(
    [...found].flatMap(([spelling, ids]) => {
      const [id] = ids;
      return spelling === '' || id === undefined || ids.size > 1 ? [] : [[spelling, id] as const];
    }),
  );
}

/** `shop/Cart` and `cart.shop.svc:8080` as `cart`: without a namespace, a domain and a port. */
function spellingsOf(value: string): string[] {
  const last = value.slice(0, 300).split('/').at(-1) ?? '';
  const host = last.split(':')[0] ?? '';
  const label = host.split('.')[0] ?? '';
  return [value.slice(0, 300), last, host, label].flatMap((each) => [plain(each), stem(each)]);
}

const plain = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

const stem = (name: string): string => plain(name).replace(DECORATION, '');
