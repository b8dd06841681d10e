import {
  type Cluster,
  conditionOf,
  finding,
  type KubernetesFinding,
  type Resource,
  wordsOf,
} from './cluster.js';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';
import { hasPort } from './network.js';

/** Gateways of the Gateway API, their classes and their routes. */
export const analyzeGateways = (cluster: Cluster): KubernetesFinding[] => [
  ...cluster.all('GatewayClass').flatMap((each) => analyzeConditions(each, ['Accepted'])),
  ...cluster.all('Gateway').flatMap((gateway) => analyzeGateway(gateway, cluster)),
  ...cluster.all('HTTPRoute').flatMap((route) => analyzeRoute(route, cluster)),
];

/**
 * The controller's statement: the first condition that is not met. An unknown condition waits for a
 * controller.
 */
function analyzeConditions(resource: Resource, types: readonly string[]): KubernetesFinding[] {
  const bad = types
    .map((type) => conditionOf(resource, type))
    .find((condition) => condition !== undefined && condition['status'] !== 'True');
  if (bad === undefined) return [];
  const isFalse = bad['status'] === 'False';
  const what = textOf(bad['type']).toLowerCase();
  const title = isFalse ? `is not ${what}` : `no controller has ${what} it yet`;
  return [
    {
      ...finding(resource, isFalse ? 'critical' : 'warning', 'invalid', title),
      detail: wordsOf(bad),
    },
  ];
}

function analyzeGateway(gateway: Resource, cluster: Cluster): KubernetesFinding[] {
  const name = textOf(gateway.spec['gatewayClassName']);
  if (cluster.isMissing('GatewayClass', '', name))
    return [finding(gateway, 'critical', 'invalid', `its gateway class ${name} does not exist`)];
  return [
    ...analyzeConditions(gateway, ['Accepted', 'Programmed']),
    ...listOf(gateway.status['listeners']).flatMap((listener) => brokenListener(gateway, listener)),
  ];
}

/** A gateway is accepted with one valid listener: another one may lack its certificate. */
function brokenListener(gateway: Resource, listener: Fields): KubernetesFinding[] {
  const bad = firstFalse(listOf(listener['conditions']), [
    'Accepted',
    'ResolvedRefs',
    'Programmed',
  ]);
  if (bad === undefined) return [];
  const name = textOf(listener['name']);
  const title =
    bad['type'] === 'ResolvedRefs'
      ? `has references of its listener ${name} that cannot be resolved`
      : `its listener ${name} is not ${textOf(bad['type']).toLowerCase()}`;
  return [{ ...finding(gateway, 'critical', 'invalid', title), detail: wordsOf(bad) }];
}

/** The first of the conditions of these types that is not met. */
const firstFalse = (conditions: readonly Fields[], types: readonly string[]): Fields | undefined =>
  types
    .map((type) => conditions.find((each) => each['type'] === type))
    .find((condition) => condition?.['status'] === 'False');

function analyzeRoute(route: Resource, cluster: Cluster): KubernetesFinding[] {
  return [
    ...listOf(route.spec['parentRefs']).flatMap((parent) => missingParent(route, parent, cluster)),
    ...listOf(route.status['parents']).flatMap((parent) => refusedBy(route, parent)),
    ...backendsOf(route).flatMap((backend) => missingBackend(route, backend, cluster)),
  ];
}

/** Only in the namespace of the route: other namespaces may not have been read. */
const isLocal = ({ namespace }: Resource, reference: Fields): boolean =>
  reference['namespace'] === undefined || reference['namespace'] === namespace;

function missingParent(route: Resource, parent: Fields, cluster: Cluster): KubernetesFinding[] {
  const [kind, name] = [textOf(parent['kind']) || 'Gateway', textOf(parent['name'])];
  return kind === 'Gateway' &&
    isLocal(route, parent) &&
    cluster.isMissing(kind, route.namespace, name)
    ? [finding(route, 'critical', 'invalid', `its gateway ${name} does not exist`)]
    : [];
}

function refusedBy(route: Resource, parent: Fields): KubernetesFinding[] {
  const bad = firstFalse(listOf(parent['conditions']), ['Accepted', 'ResolvedRefs']);
  if (bad === undefined) return [];
  const gateway = textOf(fieldsOf(parent['parentRef'])['name']);
  const title =
    bad['type'] === 'Accepted'
      ? `is not accepted by the gateway ${gateway}`
      : `has references that the gateway ${gateway} cannot resolve`;
  return [{ ...finding(route, 'critical', 'invalid', title), detail: wordsOf(bad) }];
}

/** The services of all rules, each once. */
function backendsOf({ spec }: Resource): Fields[] {
  const backends = listOf(spec['rules'])
    .flatMap((rule) => listOf(rule['backendRefs']))
    .filter(({ kind }) => kind === undefined || kind === 'Service');
  return [
    ...new Map(
      backends.map(({ namespace, name, port }) => [
        JSON.stringify([namespace, name, port]),
        { namespace, name, port },
      ]),
    ).values(),
  ];
}

function missingBackend(route: Resource, backend: Fields, cluster: Cluster): KubernetesFinding[] {
  if (!isLocal(route, backend)) return [];
  const name = textOf(backend['name']);
  const service = cluster.find('Service', route.namespace, name);
  if (cluster.isMissing('Service', route.namespace, name))
    return [finding(route, 'critical', 'invalid', `its backend service ${name} does not exist`)];
  return service && backend['port'] !== undefined && !hasPort(service, { number: backend['port'] })
    ? [finding(route, 'critical', 'invalid', `its backend service ${name} has no such port`)]
    : [];
}
