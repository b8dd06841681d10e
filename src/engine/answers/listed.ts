import type { Fields } from '../../domain/kubernetes/fields.js';
import type { KubernetesObject } from '../../domain/telemetry/records.js';
import { agesOfEvent, isoOf, msOfAge } from './age.js';
import { type Row, rowsOf } from './columns.js';
import { eventOf } from './described.js';
import { kindOf } from './kinds.js';
import { pairsIn } from './outline.js';

/**
 * The objects in the output of `kubectl get`, with or without the line of headings: pods and
 * services are recognised by their cells.
 * @param namespace of the objects, if the table does not have it
 */
export function listedObjects(
  text: string,
  { kind, namespace }: { kind: string; namespace?: string },
  now: number,
): KubernetesObject[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const start = lines.findIndex((line) => /^\s*(?:NAMESPACE\s+)?NAME\s/.test(line));
  const rows = rowsOf(lines.slice(Math.max(0, start)));
  const cells = (row: Row, column: string) => row.get(column) ?? '';
  if (kind === 'Pod')
    return lines.flatMap((line) => podIn(line.trim().split(/\s{2,}|\t/), namespace, now) ?? []);
  if (start < 0) return kind === 'Service' ? lines.flatMap((line) => serviceIn(line) ?? []) : [];
  return rows.flatMap((row): KubernetesObject[] => {
    const name = cells(row, 'NAME');
    if (!/^[a-zA-Z0-9][\w.:-]*$/.test(name) || name === 'stderr:') return [];
    const at = cells(row, 'NAMESPACE') || namespace;
    const parts = partsOf(kind, row);
    const object = {
      kind,
      metadata: {
        name,
        namespace: at,
        labels: pairsIn([cells(row, 'LABELS')]),
        creationTimestamp: isoOf(now - msOfAge(cells(row, 'AGE'))),
      },
      ...parts,
    };
    return [{ kind, name, ...(at !== undefined && { namespace: at }), object }];
  });
}

/** A row of pods: `2/2` follows the name, and the state follows that. */
function podIn(
  cells: readonly string[],
  given: string | undefined,
  now: number,
): KubernetesObject | undefined {
  // A short table separates by one space.
  const parts = cells.length > 4 ? cells : cells.join('  ').split(/\s+(?!ago\)|\()/);
  const at = parts.findIndex((cell) => /^\d{1,3}\/\d{1,3}$/.test(cell));
  const [name, counts = '', state, restarts = '', age = ''] = parts.slice(Math.max(0, at - 1));
  if (at < 1 || state === undefined || !NAME.test(name ?? '') || name === undefined)
    return undefined;
  const namespace = at > 1 ? parts[at - 2] : given;
  const [ready, all] = counts.split('/').map(Number);
  const labels = parts.slice(at + 3).findLast((cell) => /^[\w./-]+=/.test(cell)) ?? '';
  return {
    kind: 'Pod',
    name,
    ...(namespace !== undefined && { namespace }),
    object: {
      kind: 'Pod',
      metadata: {
        name,
        namespace,
        labels: pairsIn([labels]),
        creationTimestamp: isoOf(now - msOfAge(age)),
      },
      status: podStatus(state, {
        isReady: ready === all,
        restarts: Number(/^\d+/.exec(restarts)?.[0] ?? 0),
      }),
    },
  };
}

const NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/** Words in the column STATUS that replace the phase of the pod. */
const PHASES = new Set(['Running', 'Pending', 'Succeeded', 'Failed', 'Unknown']);
const ENDED = /^(?:Error|OOMKilled|ContainerCannotRun|StartError)$/;

/** The column STATUS is the phase, or why a container waits or has ended. */
function podStatus(word: string, of: { isReady: boolean; restarts: number }): Fields {
  const isInit = word.startsWith('Init:');
  const reason = word.replace(/^Init:/, '');
  if (word === 'Completed' || word === 'Succeeded') return { phase: 'Succeeded' };
  if (word === 'Evicted') return { phase: 'Failed', reason: 'Evicted' };
  const conditions = [{ type: 'Ready', status: of.isReady ? 'True' : 'False' }];
  if (PHASES.has(word)) {
    const containerStatuses = [{ restartCount: of.restarts, ready: of.isReady, state: {} }];
    return { phase: word, conditions, containerStatuses };
  }
  const isCount = /^\d+\/\d+$/.test(reason);
  const state: Fields = ENDED.test(reason)
    ? { terminated: { reason, exitCode: reason === 'OOMKilled' ? 137 : 1 } }
    : isCount || reason === 'Terminating'
      ? {}
      : { waiting: { reason } };
  const container = { name: '', restartCount: of.restarts, ready: false, state };
  return {
    phase: isInit || reason === 'ContainerCreating' ? 'Pending' : 'Running',
    conditions,
    ...(isInit ? { initContainerStatuses: [container] } : { containerStatuses: [container] }),
  };
}

/** A row without headings: namespace, name, type, addresses, ports, age, selector. */
function serviceIn(line: string): KubernetesObject | undefined {
  const found =
    /^\s*(\S+)\s+(\S+)\s+(ClusterIP|NodePort|LoadBalancer|ExternalName)\s+\S+\s+\S+\s+\S+\s+\S+(?:\s+(\S+))?/.exec(
      line,
    );
  const [, namespace = '', name = '', type, selector = ''] = found ?? [];
  if (found === null) return undefined;
  return {
    kind: 'Service',
    name,
    namespace,
    object: { metadata: { name, namespace }, spec: { type, selector: pairsIn([selector]) } },
  };
}

/** The meaning of the columns of a kind. */
function partsOf(kind: string, row: Row): { spec: Fields; status: Fields; subsets?: Fields[] } {
  const cell = (column: string) => row.get(column) ?? '';
  switch (kind) {
    case 'Service':
      return { spec: { type: cell('TYPE'), selector: pairsIn([cell('SELECTOR')]) }, status: {} };
    case 'Endpoints':
      return {
        spec: {},
        status: {},
        subsets: /\d/.test(cell('ENDPOINTS')) ? [{ addresses: [{ ip: cell('ENDPOINTS') }] }] : [],
      };
    case 'Node': {
      const [state = '', ...more] = cell('STATUS').split(',');
      const status = state === 'Ready' ? 'True' : state === 'NotReady' ? 'False' : 'Unknown';
      return {
        spec: { unschedulable: more.includes('SchedulingDisabled') },
        status: { conditions: [{ type: 'Ready', status, reason: state }] },
      };
    }
    case 'PersistentVolumeClaim':
    case 'PersistentVolume':
      return {
        spec: { storageClassName: cell('STORAGECLASS') },
        status: { phase: cell('STATUS') },
      };
    case 'Deployment':
    case 'StatefulSet': {
      const [ready, replicas] = cell('READY').split('/').map(Number);
      return { spec: { replicas }, status: { readyReplicas: ready } };
    }
    default:
      return { spec: {}, status: {} };
  }
}

/** The events in the output of `kubectl events` or `kubectl get events`. */
export function listedEvents(
  text: string,
  namespace: string | undefined,
  now: number,
): KubernetesObject[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const start = lines.findIndex((line) => /\bLAST SEEN\b.*\bREASON\b.*\bMESSAGE\b/.test(line));
  if (start < 0) return [];
  return rowsOf(lines.slice(start)).flatMap((row, index): KubernetesObject[] => {
    const [word = '', name = ''] = (row.get('OBJECT') ?? '').split('/');
    const kind = kindOf(word);
    if (kind === undefined || name === '') return [];
    const at = row.get('NAMESPACE') || namespace;
    const ages = agesOfEvent(row.get('LAST SEEN') ?? '');
    return [
      eventOf(`event-${index}`, {
        namespace: at,
        involvedObject: { kind, name, ...(at !== undefined && { namespace: at }) },
        type: row.get('TYPE') ?? '',
        reason: row.get('REASON') ?? '',
        message: row.get('MESSAGE') ?? '',
        first: now - ages.first,
        last: now - ages.last,
      }),
    ];
  });
}
