import type { FailureKind } from '../diagnosis/failure-kind.js';
import { ageMs, type Cluster, finding, type KubernetesFinding, type Resource } from './cluster.js';
import { ageText } from './event-time.js';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';

/** Init containers wait, migrate and copy: for seconds, or a few minutes. */
const INIT_MS = 10 * 60_000;
const HOST = /(?<![\w.-])([a-z0-9-]{1,63})\.([a-z0-9-]{1,63})\.svc(?![\w-])/g;
const NONE: readonly unknown[] = [];

/**
 * An init container that runs for long delays the others: what it waits for is missing, or its work
 * takes that long.
 */
export function analyzeInitContainers(
  pod: Resource,
  cluster: Cluster,
): KubernetesFinding | undefined {
  const known = listOf(pod.spec['initContainers']);
  for (const container of listOf(pod.status['initContainerStatuses'])) {
    const name = textOf(container['name']);
    const spec = known.find((each) => each['name'] === name) ?? {};
    const { startedAt } = fieldsOf(fieldsOf(container['state'])['running']);
    const age = ageMs(startedAt, cluster.now);
    // An init container that is always restarted is a sidecar, and runs beside the others.
    if (!(age > INIT_MS) || spec['restartPolicy'] === 'Always') continue;
    const awaited = servicesIn(spec);
    // Services of other namespaces may not have been read.
    const hasRead = (namespace: string) =>
      namespace === pod.namespace ||
      cluster.all('Service').some((each) => each.namespace === namespace);
    const missing = awaited.filter(
      ([namespace, service]) =>
        hasRead(namespace) && cluster.isMissing('Service', namespace, service),
    );
    const waits = awaited.length === 0 ? '' : ` for ${namesOf(awaited)}`;
    const title = `init container ${name} has been ${waits === '' ? 'running' : `waiting${waits}`} for ${ageText(age)}`;
    const failure: FailureKind | undefined = missing.length > 0 ? 'wrong-address' : undefined;
    return {
      ...finding(pod, 'critical', ['invalid', failure], title),
      steps: 'init-container',
      detail: missing.length === 0 ? '' : `No such service exists: ${namesOf(missing)}.`,
    };
  }
  return undefined;
}

const namesOf = (services: readonly (readonly [string, string])[]): string =>
  services.map(([namespace, name]) => `${name}.${namespace}.svc`).join(', ');

/** Namespace and name of the services that the command of a container names, each once. */
function servicesIn({ command, args, env }: Fields): [string, string][] {
  const words = [command, args].flatMap((each) => (Array.isArray(each) ? each : NONE));
  const values = listOf(env).map(({ value }) => value);
  const text = [...words, ...values].map(textOf).join('\n');
  const found = [...text.matchAll(HOST)].map(([, name = '', namespace = '']) => ({
    name,
    namespace,
  }));
  const unique = new Map(found.map((each) => [`${each.namespace}/${each.name}`, each]));
  return [...unique.values()].map(({ namespace, name }) => [namespace, name]);
}
