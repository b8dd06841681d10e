import type { EventData, RunEvent } from '../events/event.js';
import { textOf, type Json, type JsonObject } from '../../lib/json.js';
import { workloadIn } from '../kubernetes/workload.js';
import type { Topology } from '../topology/topology.js';
import { isFailureKind } from './failure-kind.js';
import { rankingSchema, type MeasuredRanking } from './measured-ranking.js';
import { bySeverity, SYMPTOMS, type Severity, type Symptom } from './finding.js';
import type { Issue, Measures, Mention } from './tool-result.js';

/** An issue with the time that the target took, if it is known. */
export interface MeasuredIssue extends Issue {
  /** ms */
  tookMs?: number;
}

/** A tool result about one node, reduced to what a conclusion needs: at most a few kB. */
export interface Measurement {
  /** Of its `llm.tool_result`. */
  sequence: number;
  /** ISO 8601, by the log's clock. */
  at: string;
  tool: string;
  node: string;
  measures: Measures;
  /** What of the node was measured: the arguments of the call that choose it. */
  subject: string;
  /**
   * The `host:port` that was measured, if the tool says it; of a database
   * `user@host:port/database`.
   */
  target?: string;
  /** The workload of Kubernetes that was measured: `shop/deployment/orders`. */
  workload?: string;
  /**
   * How often the tool tried: a look of fewer tries does not take back what one of more has found.
   */
  tries: number;
  /** Only a part was measured. */
  partial: boolean;
  /** What could not be seen for lack of a right. */
  hidden?: string;
  /** What was not read of the target's answer although it is judged. */
  notRead?: string;
  /** `unavailable`: the tool could not measure; `denied`: it was not allowed to. */
  status: 'ok' | 'degraded' | 'failed' | 'unavailable' | 'denied';
  summary: string;
  issues: MeasuredIssue[];
  /** Other nodes that the target's answer names. */
  mentions?: Mention[];
  /** Latencies and timeouts of it prove nothing: the prober was short of processor time. */
  unreliable: boolean;
  /** Of `rank_root_causes`: it is about all nodes, and measures none. */
  ranking?: MeasuredRanking;
  /** The service made the call: it has taken the first look at the node. */
  byService?: true;
  /** A code in capitals that says why there is no measurement, if the tool gave one. */
  code?: string;
}

const RANKING = 'rank_root_causes';
const MOST_ISSUES = 50;
const MOST_TEXT = 1_000;
const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info'];

/**
 * Whether a measurement says something about the service of its node, not only that the node can be
 * reached.
 */
export const isOfService = ({ measures, partial, hidden }: Measurement): boolean =>
  measures === 'service' && !partial && hidden === undefined;

/**
 * Whether a measurement shows how its node is: what was recorded earlier, or is of the whole
 * system, does not.
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
  // A change is no measurement: it says nothing about how the node is.
  if (data.approval) return undefined;
  const node = data.node ?? nodeOfWorker(topology, source?.agent_id, data.tool);
  if (node === undefined) return undefined;
  const result = isObject(data.result) ? data.result : {};
  // A call whose arguments were refused measured nothing.
  if (data.node === undefined && result['code'] === 'NOT_MEASURED') return undefined;
  const hidden = textOf(result, 'hidden').slice(0, MOST_TEXT);
  const notRead = textOf(result, 'not_read').slice(0, MOST_TEXT);
  const code = isNotRecorded(result) ? 'NOT_RECORDED' : textOf(result, 'code');
  const ranking =
    data.tool === RANKING ? rankingSchema.safeParse(result['measurements']) : undefined;
  return {
    sequence,
    at: timestamp,
    tool: data.tool,
    node,
    measures: data.measures ?? measuresOf(data.tool),
    subject: data.subject ?? '',
    ...targetIn(result),
    ...workloadOf(result),
    tries: triesOf(result),
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

/** What the tools measured when their results did not say so yet: logs of earlier versions. */
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

function triesOf({ measurements }: JsonObject): number {
  const tries = isObject(measurements) ? measurements['tries'] : undefined;
  return typeof tries === 'number' && tries > 1 ? tries : 1;
}

function targetIn({ measurements }: JsonObject): Pick<Measurement, 'target'> {
  if (!isObject(measurements)) return {};
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
  const workload = isObject(measurements) ? textOf(measurements, 'workload') : '';
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

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function isNotRecorded({ measurements }: JsonObject): boolean {
  return isObject(measurements) && measurements['recorded'] === false;
}

function statusOf(
  { status }: Pick<EventData['llm.tool_result'], 'status'>,
  result: JsonObject,
): Measurement['status'] {
  if (status === 'denied') return 'denied';
  // A source that knows nothing of a node says nothing about its health.
  if (isNotRecorded(result)) return 'unavailable';
  const measured = result['status'];
  return status === 'ok' && (measured === 'ok' || measured === 'degraded' || measured === 'failed')
    ? measured
    : 'unavailable';
}

/** The worst issues of a tool result, with the time that the target took where it is known. */
export function issuesOf(result: Json): MeasuredIssue[] {
  if (!isObject(result)) return [];
  const issues = result['issues'];
  if (!Array.isArray(issues)) return [];
  const beside = isObject(result['measurements']) ? result['measurements'] : {};
  const known = issues.flatMap((issue): MeasuredIssue[] => {
    if (!isObject(issue)) return [];
    const severity = issue['severity'] as Severity;
    const symptom = issue['symptom'] as Symptom;
    if (!SEVERITIES.includes(severity) || !SYMPTOMS.includes(symptom)) return [];
    const kind = issue['kind'];
    const title = textOf(issue, 'title').slice(0, MOST_TEXT) || 'is unhealthy';
    const ms = issue['duration_ms'];
    const isTimed = typeof ms === 'number' && ms >= 0;
    const tookMs = isTimed ? ms : tookOf({ symptom, title }, beside);
    return [
      {
        severity,
        symptom,
        title,
        detail: textOf(issue, 'detail').slice(0, MOST_TEXT),
        ...(isFailureKind(kind) && { kind }),
        ...(issue['alert'] === true && { alert: true }),
        ...(isTimed && { duration_ms: ms }),
        ...(tookMs !== undefined && { tookMs }),
      },
    ];
  });
  return known.toSorted(bySeverity).slice(0, MOST_ISSUES);
}

function mentionsIn(mentions: readonly Json[]): Mention[] {
  return mentions.slice(0, MOST_ISSUES).flatMap((mention) => {
    if (!isObject(mention) || textOf(mention, 'node') === '') return [];
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

/**
 * Titles of tools that have a time. A target can neither begin nor end one: its own words must not
 * decide how long it took.
 */
const TIMED_OUT = /^(?:fails now and then: )?[a-z ,]+ within ([\d.]+) ms$/;
const WAS_SLOW = /^[a-z ]+ in ([\d.]+) ms(?:, slower than [\d.]+ ms)?$/;
const TOOK = /^\S+ took ([\d.]+) ms$/;
const AT_ONCE =
  /^(?:fails now and then: )?(?:connection (?:refused|reset)|host name does not (?:resolve|exist))/;

/**
 * ms that a target took until the issue showed: from the words of its tool, else from what was
 * measured beside it.
 */
function tookOf(
  { symptom, title }: Pick<Issue, 'symptom' | 'title'>,
  measurements: JsonObject,
): number | undefined {
  const limit = TIMED_OUT.exec(title)?.[1];
  if (limit !== undefined) return Number(limit);
  const own = symptom === 'slow' ? (WAS_SLOW.exec(title) ?? TOOK.exec(title))?.[1] : undefined;
  if (own !== undefined) return Number(own);
  for (const key of ['latency_ms', 'ping_ms', 'connect_ms', 'lookup_ms']) {
    const value = measurements[key];
    const ms = isObject(value) ? value['median'] : value;
    if (typeof ms === 'number' && ms >= 0) return ms;
  }
  return AT_ONCE.test(title) ? 0 : undefined;
}
