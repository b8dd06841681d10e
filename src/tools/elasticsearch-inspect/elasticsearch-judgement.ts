import type { JsonObject } from '../../lib/json.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type {
  ClusterMember,
  ClusterState,
} from '../../sources/elasticsearch/read-cluster-state.js';
import { atMost, type CheckedValue, round, slowIssue } from '../result.js';

const HEAP_WARNING = 85;
const HEAP_CRITICAL = 95;
/**
 * The watermarks low, high and flood stage, by default: above the last, indices become read-only.
 */
const DISK_LOW = 85;
const DISK_HIGH = 90;
const DISK_FLOOD = 95;
const WAITING_MS = 30_000;

interface Judgement {
  measurements: JsonObject;
  issues: Issue[];
  judged: CheckedValue[];
}

/**
 * The issues in the state of a cluster. Limits: awesome-prometheus-alerts (CC BY 4.0), and the
 * watermarks of Elasticsearch.
 */
export function judgeElasticsearch(state: ClusterState, slowMs: number): Judgement {
  const { health, members, rejected, answerMs, requests } = state;
  const heap = Math.max(0, ...members.map(({ heapPercent }) => heapPercent));
  const disk = Math.max(0, ...members.map(({ diskPercent = 0 }) => diskPercent));
  const issues = [
    ...judgeStatus(state),
    ...members.flatMap(judgeDisk),
    ...members.flatMap(judgeHeap),
    ...judgeRejected(rejected),
    ...judgeTasks(health.task_max_waiting_in_queue_millis),
    ...slowIssue('answers', answerMs, slowMs, 'The first answer took'),
  ];
  return {
    measurements: {
      cluster: health.cluster_name,
      status: health.status,
      answer_ms: round(answerMs),
      nodes: health.number_of_nodes,
      data_nodes: health.number_of_data_nodes,
      shards: health.active_shards,
      unassigned_shards: health.unassigned_shards,
      heap_percent: heap,
      disk_percent: disk,
      rejected,
      requests,
      pending_tasks: health.number_of_pending_tasks,
    },
    issues,
    judged: [
      ...atMost('heap_percent', heap, HEAP_WARNING),
      ...atMost('disk_percent', disk, DISK_LOW),
    ],
  };
}

function judgeStatus({ health, unassigned }: ClusterState): Issue[] {
  const { status, unassigned_shards: count } = health;
  if (status === 'green') return [];
  const why = unassigned
    ? ` The first of them is ${unassigned.isPrimary ? 'a primary' : 'a replica'} of ${unassigned.index}: ${unassigned.why}.`
    : '';
  const what = status === 'red' ? 'primary shards' : 'replicas';
  return [
    {
      severity: status === 'red' ? 'critical' : 'warning',
      symptom: 'erroring',
      kind: 'infrastructure',
      title: `the cluster is ${status}: ${what} have no place`,
      detail: `${count} shards are not assigned. ${status === 'red' ? 'Their data cannot be read or written.' : 'Their data is lost if a node fails.'}${why}`,
    },
  ];
}

function judgeDisk({ name, diskPercent = 0 }: ClusterMember): Issue[] {
  if (diskPercent <= DISK_LOW) return [];
  const isFlooded = diskPercent > DISK_FLOOD;
  const effect = isFlooded
    ? 'Its indices become read-only.'
    : diskPercent > DISK_HIGH
      ? 'Shards are moved away from it.'
      : 'It gets no new shards.';
  return [
    {
      severity: isFlooded ? 'critical' : 'warning',
      symptom: 'saturated',
      kind: 'disk-full',
      title: `the disk of ${name} is ${diskPercent} % full`,
      detail: `Expected at most ${DISK_LOW} %. ${effect}`,
    },
  ];
}

function judgeHeap({ name, heapPercent }: ClusterMember): Issue[] {
  if (heapPercent <= HEAP_WARNING) return [];
  return [
    {
      severity: heapPercent > HEAP_CRITICAL ? 'critical' : 'warning',
      symptom: 'saturated',
      kind: 'memory',
      title: `the heap of ${name} is ${heapPercent} % full`,
      detail: `Expected at most ${HEAP_WARNING} %.`,
    },
  ];
}

function judgeRejected(rejected: number): Issue[] {
  if (rejected === 0) return [];
  return [
    {
      severity: 'warning',
      symptom: 'saturated',
      kind: 'capacity',
      title: `refuses writes or searches: ${rejected} between two readings`,
      detail: 'The queues of its thread pools are full.',
    },
  ];
}

function judgeTasks(waitingMs: number): Issue[] {
  if (waitingMs <= WAITING_MS) return [];
  return [
    {
      severity: 'warning',
      symptom: 'slow',
      title: `a change of the cluster has waited for ${Math.round(waitingMs / 1_000)} s`,
      detail: `Expected at most ${WAITING_MS / 1_000} s: the elected master is busy.`,
    },
  ];
}
