import type { Resource } from './cluster.js';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';

/** A probe of a port that no container of its pod lists. */
export interface WrongPort {
  probe: 'liveness' | 'readiness' | 'startup';
  /** A number, or a name. */
  port: string;
  /** Of the containers: numbers. */
  listed: readonly string[];
}

/**
 * The refused probe of a port that no container of the pod lists: the probe is at fault, not the
 * program. Containers need not list their ports, so a pod that lists none is not judged.
 * @param warning the newest one of the kubelet about its probes
 */
export function wrongProbePort(pod: Resource, warning: string): WrongPort | undefined {
  const failed = /\b(Liveness|Readiness|Startup) probe failed/.exec(warning)?.[1]?.toLowerCase();
  if (failed === undefined || !/connection refused/.test(warning)) return undefined;
  const probe = failed as WrongPort['probe'];
  const containers = listOf(pod.spec['containers']);
  const ports = containers.flatMap(({ ports: listed }) => listOf(listed));
  if (ports.length === 0) return undefined;
  const known = new Set(
    ports.flatMap((port) => [textOf(port['containerPort']), textOf(port['name'])]),
  );
  const port = containers
    .map((container) => portOf(fieldsOf(container[`${probe}Probe`])))
    .find((each) => each !== '' && !known.has(each));
  const listed = ports.map((each) => textOf(each['containerPort']));
  return port === undefined ? undefined : { probe, port, listed };
}

const portOf = (probe: Fields): string =>
  ['httpGet', 'tcpSocket', 'grpc'].map((way) => textOf(fieldsOf(probe[way])['port'])).join('');
