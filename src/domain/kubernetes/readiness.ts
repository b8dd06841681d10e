import type { Resource } from './cluster.js';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';

/**
 * The port that the readiness probe of a pod asks, refused there, and that no container of the pod lists: the probe is wrong, and not the
 * program. Containers need not list their ports, so a pod that lists none is not judged.
 * @param warning the newest one of the kubelet about its probes
 */
export function wrongReadinessPort(pod: Resource, warning: string): string | undefined {
  if (!/Readiness probe failed/.test(warning) || !/connection refused/.test(warning))
    return undefined;
  const containers = listOf(pod.spec['containers']);
  const ports = containers.flatMap(({ ports: listed }) => listOf(listed));
  if (ports.length === 0) return undefined;
  const known = new Set(
    ports.flatMap((port) => [textOf(port['containerPort']), textOf(port['name'])]),
  );
  return containers
    .map((container) => portOf(fieldsOf(container['readinessProbe'])))
    .find((port) => port !== '' && !known.has(port));
}

const portOf = (probe: Fields): string =>
  ['httpGet', 'tcpSocket', 'grpc'].map((way) => textOf(fieldsOf(probe[way])['port'])).join('');
