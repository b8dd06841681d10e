import {
  type Cluster,
  conditionOf,
  finding,
  isSelected,
  type KubernetesFinding,
  type Resource,
} from './cluster.js';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';

/** Services, ingresses, network policies and admission webhooks. */
export const analyzeNetwork = (cluster: Cluster): KubernetesFinding[] => [
  ...cluster.all('Service').flatMap((service) => analyzeService(service, cluster)),
  ...cluster.all('Ingress').flatMap((ingress) => analyzeIngress(ingress, cluster)),
  ...cluster.all('NetworkPolicy').flatMap((policy) => analyzePolicy(policy, cluster)),
  ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']
    .flatMap((kind) => cluster.all(kind))
    .flatMap((configuration) => analyzeWebhooks(configuration, cluster)),
];

const pods = (count: number): string => (count === 1 ? 'one pod' : `${count} pods`);

function analyzeService(service: Resource, cluster: Cluster): KubernetesFinding[] {
  const { spec, namespace } = service;
  const selector = fieldsOf(spec['selector']);
  const pairs = Object.entries(selector).map(([key, value]) => `${key}=${textOf(value)}`);
  if (spec['type'] === 'ExternalName' || pairs.length === 0) return [];
  const isEmpty = hasNoEndpoints(service, cluster);
  if (!isEmpty && !cluster.hasRead('Pod', namespace)) return [];
  const others = cluster.all('Pod').filter((pod) => pod.namespace === namespace);
  const selected = others.filter((pod) => isSelected(selector, pod.metadata['labels']));
  const ready = selected.filter((pod) => conditionOf(pod, 'Ready')?.['status'] === 'True');
  if (selected.length === 0) {
    const found = valuesOf(Object.keys(selector), others);
    const kind = found.length > 0 ? 'config' : undefined;
    const labels = pairs.join(', ');
    const isKnown = found.length > 0 || cluster.hasRead('Pod', namespace);
    const title = isKnown
      ? `its selector (${labels}) matches no pod`
      : `has no endpoints: no ready pod matches its selector (${labels})`;
    return [
      {
        ...finding(service, 'critical', ['unreachable', kind], title),
        ...(isKnown && { steps: 'no-pods' }),
        detail: isKnown ? `Pods have ${found.join(', ') || 'none of these labels'}.` : '',
      },
    ];
  }
  if (ready.length === 0) {
    const title = `selects ${pods(selected.length)}, and none is ready`;
    const names = selected.slice(0, 5).map(({ name }) => name);
    return [
      {
        ...finding(service, 'critical', 'unreachable', title),
        detail: `Not ready: ${names.join(', ')}.`,
      },
    ];
  }
  const found: KubernetesFinding[] = [];
  if (ready.length < selected.length) {
    const title = `selects ${pods(selected.length)}, of which ${selected.length - ready.length} are not ready`;
    found.push(finding(service, 'warning', 'erroring', title));
  }
  const named = new Set(
    selected
      .flatMap((pod) => listOf(pod.spec['containers']))
      .flatMap((container) => listOf(container['ports']).map((port) => textOf(port['name']))),
  );
  for (const { targetPort } of listOf(spec['ports']))
    if (typeof targetPort === 'string' && !/^\d+$/.test(targetPort) && !named.has(targetPort))
      found.push(
        finding(
          service,
          'critical',
          'invalid',
          `no container has a port named ${targetPort.slice(0, 100)}`,
        ),
      );
  return found;
}

/** Whether Kubernetes reports that a service has no endpoint. */
const hasNoEndpoints = ({ namespace, name }: Resource, cluster: Cluster): boolean => {
  const endpoints = cluster.find('Endpoints', namespace, name);
  return endpoints !== undefined && listOf(endpoints.object['subsets']).length === 0;
};

/** `app=api` for the labels that pods have instead of the selected ones. */
function valuesOf(keys: readonly string[], pods: readonly Resource[]): string[] {
  const pairs = pods.flatMap(({ metadata }) => {
    const labels = fieldsOf(metadata['labels']);
    return keys.flatMap((key) =>
      labels[key] === undefined ? [] : `${key}=${textOf(labels[key])}`,
    );
  });
  return [...new Set(pairs)].slice(0, 20);
}

/** Classes without an object: GKE's own. */
const BUILT_IN = new Set(['gce', 'gce-internal']);

function analyzeIngress(ingress: Resource, cluster: Cluster): KubernetesFinding[] {
  const { spec, namespace, metadata } = ingress;
  const found: KubernetesFinding[] = [];
  const name =
    textOf(spec['ingressClassName']) ||
    textOf(fieldsOf(metadata['annotations'])['kubernetes.io/ingress.class']);
  const classes = cluster.all('IngressClass');
  const hasDefault = classes.some(
    (each) =>
      fieldsOf(each.metadata['annotations'])['ingressclass.kubernetes.io/is-default-class'] ===
      'true',
  );
  if (name === '' && !hasDefault && cluster.hasRead('IngressClass', ''))
    found.push(
      finding(ingress, 'warning', 'invalid', 'has no ingress class, and none is the default'),
    );
  if (name !== '' && !BUILT_IN.has(name) && cluster.isMissing('IngressClass', '', name))
    found.push(finding(ingress, 'critical', 'invalid', `its ingress class ${name} does not exist`));
  for (const backend of backendsOf(spec)) {
    const service = textOf(backend['name']);
    if (service === '') continue;
    const target = cluster.find('Service', namespace, service);
    if (cluster.isMissing('Service', namespace, service))
      found.push(
        finding(ingress, 'critical', 'invalid', `its backend service ${service} does not exist`),
      );
    else if (target && !hasPort(target, fieldsOf(backend['port'])))
      found.push(
        finding(ingress, 'critical', 'invalid', `its backend service ${service} has no such port`),
      );
  }
  for (const { secretName } of listOf(spec['tls']))
    if (textOf(secretName) !== '' && cluster.isMissing('Secret', namespace, textOf(secretName)))
      found.push(
        finding(
          ingress,
          'critical',
          'invalid',
          `its TLS secret ${textOf(secretName)} does not exist`,
        ),
      );
  return found;
}

/** The services of all rules and of the default, each once. */
function backendsOf(spec: Fields): Fields[] {
  const paths = listOf(spec['rules']).flatMap((rule) => listOf(fieldsOf(rule['http'])['paths']));
  const backends = [
    ...paths.map((path) => fieldsOf(path['backend'])),
    fieldsOf(spec['defaultBackend']),
  ].map((backend) => fieldsOf(backend['service']));
  const known = new Map(backends.map((backend) => [JSON.stringify(backend), backend]));
  return [...known.values()];
}

export const hasPort = ({ spec }: Resource, port: Fields): boolean =>
  listOf(spec['ports']).some(
    (each) =>
      each['port'] === port['number'] ||
      (each['name'] === port['name'] && port['name'] !== undefined),
  );

/** A policy whose selector is empty applies to all pods; expressions are not evaluated. */
function analyzePolicy(policy: Resource, cluster: Cluster): KubernetesFinding[] {
  const { matchLabels, matchExpressions } = fieldsOf(policy.spec['podSelector']);
  const labels = Object.entries(fieldsOf(matchLabels));
  if (labels.length === 0 || listOf(matchExpressions).length > 0) return [];
  if (!cluster.hasRead('Pod', policy.namespace)) return [];
  const isUsed = cluster
    .all('Pod')
    .some(
      ({ namespace, metadata }) =>
        namespace === policy.namespace && isSelected(matchLabels, metadata['labels']),
    );
  const pairs = labels.map(([key, value]) => `${key}=${textOf(value)}`).join(', ');
  return isUsed
    ? []
    : [finding(policy, 'info', 'advisory', `selects labels that no pod has (${pairs})`)];
}

function analyzeWebhooks(configuration: Resource, cluster: Cluster): KubernetesFinding[] {
  return listOf(configuration.object['webhooks']).flatMap((webhook) => {
    const called = fieldsOf(fieldsOf(webhook['clientConfig'])['service']);
    const [namespace, name] = [textOf(called['namespace']), textOf(called['name'])];
    // Services of other namespaces may not have been read.
    if (name === '' || !cluster.all('Service').some((each) => each.namespace === namespace))
      return [];
    const service = cluster.find('Service', namespace, name);
    const why = service ? whyNotReady(service, cluster) : 'which does not exist';
    if (why === undefined) return [];
    const severity = webhook['failurePolicy'] === 'Ignore' ? 'warning' : 'critical';
    const title = `webhook ${textOf(webhook['name'])} calls the service ${name}, ${why}`;
    return [finding(configuration, severity, 'invalid', title)];
  });
}

/** Why no pod is ready for a service; undefined if one is, or if that is unknown. */
function whyNotReady({ spec, namespace }: Resource, cluster: Cluster): string | undefined {
  const selector = fieldsOf(spec['selector']);
  if (Object.keys(selector).length === 0 || !cluster.hasRead('Pod', namespace)) return undefined;
  const selected = cluster
    .all('Pod')
    .filter((pod) => pod.namespace === namespace && isSelected(selector, pod.metadata['labels']));
  if (selected.length === 0) return 'which has no pods';
  const isReady = selected.some((pod) => conditionOf(pod, 'Ready')?.['status'] === 'True');
  return isReady ? undefined : 'of whose pods none is ready';
}
