import type { KubernetesObject, LogRecord } from '../../domain/telemetry/records.js';
import { fieldsOf, listOf, numberOf, textOf } from '../../domain/kubernetes/fields.js';
import { readSource } from '../http/source-client.js';
import type { SourceServer } from '../http/source-server.js';
import { SourceError } from '../http/source-error.js';
import { podLogIn } from '../recording/parse-logs.js';
import { withKubernetes } from './connect-kubernetes.js';
import type { LiveCluster } from './live-cluster.js';

/** Maximum pods of one node whose logs are read: those that are not ready come first. */
const MOST_PODS = 3;
const MOST_CONTAINERS = 4;
const LINES = 100;
const MOST_LOG = 65_536;

/**
 * The last lines of the containers of a node's pods, and of their previous instances if they were
 * restarted, which contain the reason.
 * @throws SourceError `refused` if the credential may not read logs; the signal's reason
 */
export async function readPodLogs(
  cluster: LiveCluster,
  node: string,
  signal: AbortSignal,
): Promise<Omit<LogRecord, 'node'>[]> {
  const objects = await cluster.objectsOf(node, signal);
  const pods = objects
    .filter(({ kind }) => kind === 'Pod')
    .toSorted((a, b) => Number(isReady(a)) - Number(isReady(b)))
    .slice(0, MOST_PODS);
  const calls = pods.flatMap(callsOf);
  if (calls.length === 0) return [];
  return withKubernetes(cluster.listed, cluster.reach, async (server) => {
    const records: Omit<LogRecord, 'node'>[] = [];
    for (const call of calls) records.push(...(await readLog(server, call, signal)));
    return records;
  });
}

const isReady = ({ object }: KubernetesObject): boolean =>
  listOf(fieldsOf(object['status'])['conditions']).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );

interface LogCall {
  namespace: string;
  pod: string;
  container: string;
  previous: boolean;
}

function callsOf({ name, namespace = '', object }: KubernetesObject): LogCall[] {
  const status = fieldsOf(object['status']);
  const containers = ['initContainerStatuses', 'containerStatuses'].flatMap((field) =>
    listOf(status[field]),
  );
  return containers.slice(0, MOST_CONTAINERS).flatMap((each) => {
    const call = { namespace, pod: name, container: textOf(each['name']), previous: false };
    return numberOf(each['restartCount']) > 0 ? [{ ...call, previous: true }, call] : [call];
  });
}

async function readLog(
  server: SourceServer,
  { namespace, pod, container, previous }: LogCall,
  signal: AbortSignal,
): Promise<Omit<LogRecord, 'node'>[]> {
  const query = new URLSearchParams({
    container,
    tailLines: String(LINES),
    limitBytes: String(MOST_LOG),
    timestamps: 'true',
    ...(previous && { previous: 'true' }),
  });
  const at = [namespace, 'pods', pod].map(encodeURIComponent).join('/');
  const path = `/api/v1/namespaces/${at}/log?${query.toString()}`;
  try {
    const text = await readSource(server, { path, headers: { accept: 'text/plain' } }, signal);
    return text.split('\n').flatMap((line) => {
      const record = podLogIn(line, pod);
      return record ? [{ ...record, labels: { ...record.labels, container } }] : [];
    });
  } catch (error) {
    // A container that has not started yet, has no previous instance, or whose machine is
    // unreachable has no log.
    if (!(error instanceof SourceError) || error.failure === 'unreachable') throw error;
    if (error.failure === 'failed') return [];
    throw new SourceError('refused', `logs of pods (pods/log) may not be read in ${namespace}`, {
      ...(error.status !== undefined && { status: error.status }),
    });
  }
}

/**
 * The namespaces in which logs of pods may not be read, which needs another right than listing
 * pods. If there is no pod, a non-existing name is requested: rights are checked first.
 */
export async function namespacesWithoutLogs(
  server: SourceServer,
  { namespaces, pods }: { namespaces: readonly string[]; pods: readonly KubernetesObject[] },
  signal: AbortSignal,
): Promise<string[]> {
  const refused: string[] = [];
  for (const namespace of namespaces) {
    const pod = pods.find((each) => each.namespace === namespace)?.name ?? 'no-such-pod';
    const at = [namespace, 'pods', pod].map(encodeURIComponent).join('/');
    const path = `/api/v1/namespaces/${at}/log?tailLines=1&limitBytes=1`;
    await readSource(server, { path, headers: { accept: 'text/plain' } }, signal).catch(
      (error: unknown) => {
        // No such pod, several containers, or none that has started: the right exists.
        if (!(error instanceof SourceError) || error.failure === 'unreachable') throw error;
        if (error.failure === 'refused') refused.push(namespace);
      },
    );
  }
  return refused;
}
