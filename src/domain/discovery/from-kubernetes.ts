import type { KubernetesObject } from '../telemetry/records.js';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../kubernetes/fields.js';
import type { FoundEdge, FoundNode } from './draft.js';
import { hostsIn, hostsOfCommand, type NamedHost } from './hosts.js';
import { endpointOf, kindOf } from './service-kind.js';

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

interface Service {
  name: string;
  namespace: string;
  selector: Fields;
  port?: number;
  externalName: string;
}

/**
 * The name of a workload: `name` if no other namespace has one of this name, otherwise
 * `namespace-name`.
 */
interface FoundWorkload extends KubernetesObject {
  id: string;
  pod: Fields;
}

/**
 * The workloads of a cluster as nodes, and what each depends on: services whose names its variables
 * (also those of config maps) and arguments have as hosts, backends of ingresses, external names
 * and hosts.
 *
 * @param objects with the values of their variables
 * @param source id of the source that the nodes select from
 */
export function foundInKubernetes(
  objects: readonly KubernetesObject[],
  source: string,
): { nodes: FoundNode[]; edges: FoundEdge[] } {
  const workloads = workloadsIn(objects);
  const services = objects.filter(({ kind }) => kind === 'Service').map(serviceIn);
  const configMaps = objects.filter(({ kind }) => kind === 'ConfigMap');
  const nodes = workloads.map((each) => nodeOf(each, services, source));
  const edges: FoundEdge[] = [];
  const resolve = (named: NamedHost, namespace: string): string | undefined => {
    const service = services.find((each) => isNamed(each, named.host, namespace));
    if (service !== undefined && service.externalName === '') {
      const target = workloads.find((each) => isSelected(each, service));
      // A service without a workload, such as one with endpoints of its own, is listed as omitted.
      return target?.id ?? `${service.name}.${service.namespace}`;
    }
    const host = service?.externalName ?? named.host;
    // A host without a dot is a service that was not read, or no host at all.
    const port = named.port ?? service?.port;
    if (!host.includes('.') || /^[\d.]+$/.test(host)) return undefined;
    // A service that was not read, such as one of another namespace: the edge is listed as omitted.
    if (isInCluster(host)) return host;
    if (host.endsWith('.local')) return undefined;
    const kind = kindOf({ ...(port !== undefined && { port }) });
    if (service === undefined && kind === 'service') return undefined;
    const endpoint = port === undefined ? undefined : endpointOf(kind, host, port);
    nodes.push({
      id: host,
      kind,
      ...(endpoint !== undefined && { endpoint }),
      from: 'a name outside of the cluster',
    });
    return host;
  };
  for (const workload of workloads)
    for (const { text, hosts, evidence } of mentionsOf(workload, configMaps))
      for (const host of hosts) {
        const on = resolve(host, workload.namespace ?? '');
        const from = `${text} of ${workload.kind.toLowerCase()} ${workload.namespace}/${workload.name}`;
        if (on !== undefined) edges.push({ node: workload.id, on, evidence, from });
      }
  for (const ingress of objects.filter(({ kind }) => kind === 'Ingress'))
    addIngress(ingress, { nodes, edges, resolve });
  return { nodes, edges };
}

/** `name.namespace.svc`, also with the domain of the cluster. */
const isInCluster = (host: string): boolean => /^[^.]+\.[^.]+\.svc(?:\..+)?$/.test(host);

function workloadsIn(objects: readonly KubernetesObject[]): FoundWorkload[] {
  const found = objects.filter(({ kind }) => WORKLOADS.has(kind));
  return found.map((each) => {
    const isAlone = found.filter(({ name }) => name === each.name).length === 1;
    const template = fieldsOf(fieldsOf(each.object['spec'])['template']);
    return { ...each, id: isAlone ? each.name : `${each.namespace}-${each.name}`, pod: template };
  });
}

function serviceIn({ name, namespace = '', object }: KubernetesObject): Service {
  const spec = fieldsOf(object['spec']);
  const [first] = listOf(spec['ports']);
  const port = numberOf(first?.['port']);
  return {
    name,
    namespace,
    selector: fieldsOf(spec['selector']),
    ...(port > 0 && { port }),
    externalName: spec['type'] === 'ExternalName' ? textOf(spec['externalName']) : '',
  };
}

function isSelected({ namespace, pod }: FoundWorkload, service: Service): boolean {
  const labels = fieldsOf(fieldsOf(pod['metadata'])['labels']);
  const wanted = Object.entries(service.selector);
  return (
    wanted.length > 0 &&
    service.namespace === namespace &&
    wanted.every(([key, value]) => labels[key] === value)
  );
}

/**
 * `name` from its own namespace, `name.namespace`, `name.namespace.svc` and
 * `name.namespace.svc.cluster.local`.
 */
const isNamed = ({ name, namespace }: Service, host: string, from: string): boolean =>
  (host === name && namespace === from) ||
  [`${name}.${namespace}`, `${name}.${namespace}.svc`].includes(host) ||
  (host.startsWith(`${name}.${namespace}.svc.`) && host.split('.').length > 3);

function nodeOf(workload: FoundWorkload, services: readonly Service[], source: string): FoundNode {
  const { id, kind, name, namespace, pod } = workload;
  const service = services.find((each) => isSelected(workload, each));
  const [container] = listOf(fieldsOf(pod['spec'])['containers']);
  const port = service?.port;
  const found = kindOf({
    image: textOf(container?.['image']),
    ...(port !== undefined && { port }),
  });
  const host = `${service?.name}.${namespace}`;
  return {
    id,
    kind: found,
    from: `${kind.toLowerCase()} ${namespace}/${name}`,
    ...(port !== undefined && { endpoint: endpointOf(found, host, port) }),
    in: { [source]: `${namespace}/${kind.toLowerCase()}/${name}` },
  };
}

interface Mention {
  text: string;
  hosts: NamedHost[];
  evidence: 'env' | 'command';
}

function mentionsOf(
  { pod, namespace }: FoundWorkload,
  configMaps: readonly KubernetesObject[],
): Mention[] {
  const spec = fieldsOf(pod['spec']);
  const dataOf = (name: string): Fields => {
    const map = configMaps.find((each) => each.name === name && each.namespace === namespace);
    return fieldsOf(map?.object['data']);
  };
  const variable = (name: string, value: unknown): Mention => ({
    text: name,
    hosts: hostsIn(name, textOf(value)),
    evidence: 'env',
  });
  return [...listOf(spec['initContainers']), ...listOf(spec['containers'])].flatMap((container) => {
    const arguments_ = [container['command'], container['args']].flatMap((each) =>
      Array.isArray(each) ? each.map(textOf) : [],
    );
    return [
      ...listOf(container['env']).map((each) => {
        const reference = fieldsOf(fieldsOf(each['valueFrom'])['configMapKeyRef']);
        const value = each['value'] ?? dataOf(textOf(reference['name']))[textOf(reference['key'])];
        return variable(textOf(each['name']), value);
      }),
      ...listOf(container['envFrom']).flatMap((each) =>
        Object.entries(dataOf(textOf(fieldsOf(each['configMapRef'])['name']))).map(
          ([name, value]) => variable(name, value),
        ),
      ),
      { text: 'the command', hosts: hostsOfCommand(arguments_), evidence: 'command' as const },
    ];
  });
}

interface FoundServices {
  nodes: FoundNode[];
  edges: FoundEdge[];
  resolve: (named: NamedHost, namespace: string) => string | undefined;
}

function addIngress(
  { name, namespace = '', object }: KubernetesObject,
  { nodes, edges, resolve }: FoundServices,
): void {
  const id = `${name}-ingress`;
  const from = `ingress ${namespace}/${name}`;
  const spec = fieldsOf(object['spec']);
  const rules = listOf(spec['rules']);
  const host = textOf(rules[0]?.['host']);
  const isSecure = listOf(spec['tls']).some(
    ({ hosts }) => Array.isArray(hosts) && hosts.includes(host),
  );
  const endpoint = `${isSecure ? 'https' : 'http'}://${host}`;
  nodes.push({ id, kind: 'service', ...(host !== '' && { endpoint }), from });
  const paths = rules.flatMap((rule) => listOf(fieldsOf(rule['http'])['paths']));
  for (const backend of [
    fieldsOf(spec['defaultBackend']),
    ...paths.map((path) => fieldsOf(path['backend'])),
  ]) {
    const on = resolve({ host: textOf(fieldsOf(backend['service'])['name']) }, namespace);
    if (on !== undefined) edges.push({ node: id, on, evidence: 'route', from });
  }
}
