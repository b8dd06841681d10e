import type { EventData, RunEvent } from '../events/event.js';
import { isJsonObject, textOf, type Json, type JsonObject } from '../../lib/json.js';
import { workloadIn } from '../kubernetes/workload.js';
import type { Topology } from '../topology/topology.js';
import { issuesOf } from './issues/issues-of.js';
import { rankingSchema, type MeasuredRanking } from './measured-ranking.js';
import { SYMPTOMS } from './finding.js';
import type { Issue, Measures, Mention } from './tool-result.js';

/** A tool result about one node, reduced to the input of a conclusion: at most a few kB. */
export interface Measurement {
  /** Sequence of its `llm.tool_result`. */
  sequence: number;
  /** ISO 8601, by the log's clock. */
  at: string;
  tool: string;
  node: string;
  measures: Measures;
  /** What was measured of the node: the arguments of the call that select it. */
  subject: string;
  /**
   * The `host:port` that was measured, if the tool returns it; for a database
   * `user@host:port/database`.
   */
  target?: string;
  /** The workload of Kubernetes that was measured: `shop/deployment/orders`. */
  workload?: string;
  /**
   * How often the tool tried: a measurement with fewer tries does not withdraw a result of one with
   * more.
   */
  tries: number;
  /** Of these, how many failed, if the tool counts them. */
  failedTries?: number;
  /** Only a part was measured. */
  partial: boolean;
  /** What could not be seen because a right is missing. */
  hidden?: string;
  /** The part of the target's answer that was not read although it is judged. */
  notRead?: string;
  /** `unavailable`: the tool could not measure; `denied`: it was not allowed to. */
  status: 'ok' | 'degraded' | 'failed' | 'unavailable' | 'denied';
  summary: string;
  issues: Issue[];
  /** Other nodes that the target's answer names. */
  mentions?: Mention[];
  /** Its latencies and timeouts prove nothing: the prober was short of processor time. */
  unreliable: boolean;
  /** From `rank_root_causes`: it is about all nodes, and measures none. */
  ranking?: MeasuredRanking;
  /** The service made the call as the first look at the node. */
  byService?: true;
  /** A code in capitals that says why there is no measurement, if the tool gave one. */
  code?: string;
}

const RANKING = 'rank_root_causes';
const MOST_MENTIONS = 50;
const MOST_TEXT = 1_000;

/**
 * Whether a measurement shows something about the service of its node, not only that the node can
 * be reached.
 */
export const isOfService = ({ measures, partial, hidden }: Measurement): boolean =>
  measures === 'service' && !partial && hidden === undefined;

/**
 * Whether a measurement shows the present state of its node: earlier records, and results about the
 * whole system, do not.
 */
export const isOfNode = ({ measures }: Pick<Measurement, 'measures'>): boolean =>
  measures === 'service' || measures === 'transport';

/** Whether a tool did its work. */
export const isMeasured = ({ status }: Measurement): boolean =>
  status !== 'unavailable' && status !== 'denied';

/**
 * The measurement that an event holds; undefined for any other result. Results of a log that does
 * not name the node belong to the node of the worker that called the tool.
 */
export function measurementOf(
  { sequence, timestamp, source, data }: RunEvent<'llm.tool_result'>,
  topology: Pick<Topology, 'teams'>,
): Measurement | undefined {
  // A change is not a measurement: it does not show the state of the node.
  if (data.approval) return undefined;
  const node = data.node ?? nodeOfWorker(topology, source?.agent_id, data.tool);
  if (node === undefined) return undefined;
  const result = isJsonObject(data.result) ? data.result : {};
  // A call whose arguments were refused measured nothing.
  if (data.node === undefined && result['code'] === 'NOT_MEASURED') return undefined;
  const hidden = textOf(result, 'hidden').slice(0, MOST_TEXT);
  const notRead = textOf(result, 'not_read').slice(0, MOST_TEXT);
  const code = isNotRecorded(result) ? 'NOT_RECORDED' : textOf(result, 'code');
  const ranking =
    data.tool === RANKING ? rankingSchema.safeParse(result['measurements']) : undefined;
  const failed = countIn(result, 'failed_tries');
  return {
    sequence,
    at: timestamp,
    tool: data.tool,
    node,
    measures: data.measures ?? measuresOf(data.tool),
    subject: data.subject ?? '',
    ...targetIn(result),
    ...workloadOf(result),
    tries: Math.max(1, countIn(result, 'tries')),
    ...(failed > 0 && { failedTries: failed }),
    partial: result['partial'] === true,
    ...(hidden !== '' && { hidden }),
    ...(notRead !== '' && { notRead }),
    status: statusOf(data, result),
    summary: (textOf(result, 'summary') || textOf(result, 'error')).slice(0, MOST_TEXT),
    issues: issuesOf(result),
    ...(Array.isArray(result['mentions']) && { mentions: mentionsIn(result['mentions']) }),
    unreliable: result['unreliable'] === true,
    ...(ranking?.success && { ranking: ranking.data }),
    ...(data.by_service && { byService: true }),
    ...(/^[A-Z][A-Z_]*$/.test(code) && { code }),
  };
}

/**
 * The kinds of measurement of tools whose results do not contain them: logs of earlier versions.
 */
const MEASURED_BEFORE: Record<string, Measures> = {
  tcp_probe: 'transport',
  dns_lookup: 'transport',
  tls_certificate: 'transport',
  recent_changes: 'system',
  read_change: 'system',
  service_graph: 'system',
  status_pages: 'system',
  [RANKING]: 'system',
};
const measuresOf = (tool: string): Measures => MEASURED_BEFORE[tool] ?? 'service';

function countIn({ measurements }: JsonObject, key: string): number {
  const count = isJsonObject(measurements) ? measurements[key] : undefined;
  return typeof count === 'number' && count > 0 ? count : 0;
}

function targetIn({ measurements }: JsonObject): Pick<Measurement, 'target'> {
  if (!isJsonObject(measurements)) return {};
  const [user, where, database] = [
    textOf(measurements, 'user'),
    textOf(measurements, 'target'),
    textOf(measurements, 'database'),
  ];
  const path = database === '' ? '' : `/${encodeURIComponent(database)}`;
  const target = `${user === '' ? '' : `${user}@`}${where}${path}`;
  return where === '' || target.length > MOST_TEXT ? {} : { target };
}

function workloadOf({ measurements }: JsonObject): Pick<Measurement, 'workload'> {
  const workload = isJsonObject(measurements) ? textOf(measurements, 'workload') : '';
  return workloadIn(workload) === undefined ? {} : { workload };
}

function nodeOfWorker(
  { teams }: Pick<Topology, 'teams'>,
  agentId: string | undefined,
  tool: string,
) {
  const worker = teams.flatMap((team) => team.workers).find((each) => each.agentId === agentId);
  return worker?.tools.includes(tool) ? worker.node : undefined;
}

export function isNotRecorded({ measurements }: JsonObject): boolean {
  return isJsonObject(measurements) && measurements['recorded'] === false;
}

function statusOf(
  { status }: Pick<EventData['llm.tool_result'], 'status'>,
  result: JsonObject,
): Measurement['status'] {
  if (status === 'denied') return 'denied';
  // A source without data about a node shows nothing about its health.
  if (isNotRecorded(result)) return 'unavailable';
  const measured = result['status'];
  return status === 'ok' && (measured === 'ok' || measured === 'degraded' || measured === 'failed')
    ? measured
    : 'unavailable';
}

function mentionsIn(mentions: readonly Json[]): Mention[] {
  return mentions.slice(0, MOST_MENTIONS).flatMap((mention) => {
    if (!isJsonObject(mention) || textOf(mention, 'node') === '') return [];
    const symptom = SYMPTOMS.find((each) => each === mention['symptom']);
    return [
      {
        node: textOf(mention, 'node'),
        endpoint: textOf(mention, 'endpoint').slice(0, MOST_TEXT),
        failure: textOf(mention, 'failure').slice(0, MOST_TEXT),
        ...(symptom && { symptom }),
      },
    ];
  });
}
