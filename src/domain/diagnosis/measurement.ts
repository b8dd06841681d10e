import type { EventData, RunEvent } from '../events/event.js';
import { textOf, type Json, type JsonObject } from '../../lib/json.js';
import type { Topology } from '../topology/topology.js';
import { isFailureKind } from './failure-kind.js';
import { rankingSchema, type MeasuredRanking } from './measured-ranking.js';
import { SYMPTOMS, type Severity, type Symptom } from './finding.js';
import type { Issue, Mention } from './tool-result.js';

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
  /** What of the node was measured: the arguments of the call besides the node. */
  subject: string;
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
  /** A code in capitals that says why there is no measurement, if the tool gave one. */
  code?: string;
}

const RANKING = 'rank_root_causes';
const MOST_ISSUES = 50;
const MOST_TEXT = 1_000;
const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info'];
/** Tools that see only whether a connection, a name or a certificate is there, and nothing of the service behind it. */
const TRANSPORT = new Set(['tcp_probe', 'dns_lookup', 'tls_certificate']);
const OWN_KIND: Record<string, string> = { dns: 'dns_lookup', tls: 'tls_certificate' };

/** Whether a measurement says something about the service of a node, not only about its transport. */
export const isOfService = ({ tool }: Pick<Measurement, 'tool'>, nodeKind: string): boolean =>
  !TRANSPORT.has(tool) || OWN_KIND[nodeKind] === tool;

/** Tools that read something of the whole system: the node that they are called with is any. */
const WIDE = new Set([RANKING, 'recent_changes', 'read_change', 'service_graph', 'status_pages']);

/** Whether a measurement is about its node, and not about the whole system. */
export const isOfNode = ({ tool }: Pick<Measurement, 'tool'>): boolean => !WIDE.has(tool);

/** Whether a tool did its work. */
export const isMeasured = ({ status }: Measurement): boolean =>
  status !== 'unavailable' && status !== 'denied';

/** Whether an issue is about time: on a prober that is short of processor time it proves nothing. */
const isOfTime = ({ symptom, title, duration_ms: ms }: Issue): boolean =>
  symptom === 'slow' ||
  ms !== undefined ||
  /\bwithin [\d.,]+ ?m?s\b|ETIMEDOUT|timed? ?out/i.test(title);

/**
 * The measurement that an event holds; undefined for any other result. Results of a log that does not name the node belong
 * to the node of the worker that called the tool.
 */
export function measurementOf(
  { sequence, timestamp, source, data }: RunEvent<'llm.tool_result'>,
  topology: Pick<Topology, 'teams'>,
): Measurement | undefined {
  const node = data.node ?? nodeOfWorker(topology, source?.agent_id, data.tool);
  if (node === undefined) return undefined;
  const result = isObject(data.result) ? data.result : {};
  const code = isNotRecorded(result) ? 'NOT_RECORDED' : textOf(result, 'code');
  const ranking =
    data.tool === RANKING ? rankingSchema.safeParse(result['measurements']) : undefined;
  return {
    sequence,
    at: timestamp,
    tool: data.tool,
    node,
    subject: data.subject ?? '',
    status: statusOf(data, result),
    summary: (textOf(result, 'summary') || textOf(result, 'error')).slice(0, MOST_TEXT),
    issues: issuesOf(result),
    ...(Array.isArray(result['mentions']) && { mentions: mentionsIn(result['mentions']) }),
    unreliable: result['unreliable'] === true,
    ...(ranking?.success && { ranking: ranking.data }),
    ...(/^[A-Z][A-Z_]*$/.test(code) && { code }),
  };
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

function isNotRecorded({ measurements }: JsonObject): boolean {
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
  const { recorded } = isObject(result['measurements']) ? result['measurements'] : {};
  // A source that holds nothing about the node says nothing about it.
  if (recorded === false) return 'unavailable';
  return status === 'ok' && (measured === 'ok' || measured === 'degraded' || measured === 'failed')
    ? measured
    : 'unavailable';
}

/** The issues of a tool result, bounded, with the time that the target took where it is known. */
export function issuesOf(result: Json): MeasuredIssue[] {
  if (!isObject(result)) return [];
  const issues = result['issues'];
  if (!Array.isArray(issues)) return [];
  const beside = isObject(result['measurements']) ? result['measurements'] : {};
  return issues.slice(0, MOST_ISSUES).flatMap((issue) => {
    if (!isObject(issue)) return [];
    const severity = issue['severity'] as Severity;
    const symptom = issue['symptom'] as Symptom;
    if (!SEVERITIES.includes(severity) || !SYMPTOMS.includes(symptom)) return [];
    const kind = issue['kind'];
    const title = textOf(issue, 'title').slice(0, MOST_TEXT) || 'is unwell';
    const ms = issue['duration_ms'];
    const isTimed = typeof ms === 'number' && ms >= 0;
    const tookMs = isTimed ? ms : tookOf({ symptom, title }, beside);
    return [
      {
        ...{ severity, symptom, title, detail: textOf(issue, 'detail').slice(0, MOST_TEXT) },
        ...(isFailureKind(kind) && { kind }),
        ...(isTimed && { duration_ms: ms }),
        ...(tookMs !== undefined && { tookMs }),
      },
    ];
  });
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

/** ms that a target took until the issue showed: from the issue's own words, else from what was measured beside it. */
function tookOf(
  { symptom, title }: Pick<Issue, 'symptom' | 'title'>,
  measurements: JsonObject,
): number | undefined {
  const limit = /\bwithin ([\d.]+) ms\b/.exec(title)?.[1];
  if (limit !== undefined) return Number(limit);
  const own = symptom === 'slow' ? /([\d.]+) ms\b/.exec(title)?.[1] : undefined;
  if (own !== undefined) return Number(own);
  for (const key of ['latency_ms', 'ping_ms', 'connect_ms', 'lookup_ms']) {
    const value = measurements[key];
    const ms = isObject(value) ? value['median'] : value;
    if (typeof ms === 'number' && ms >= 0) return ms;
  }
  return /refused|reset|does not resolve|does not exist/.test(title) ? 0 : undefined;
}

/** The measurements that count, and what they replace. */
export interface Current {
  /** The last of each subject of each node, by sequence; without issues that an unreliable measurement cannot prove. */
  measurements: Measurement[];
  /** Issues that a later measurement of the same subject did not show any more. */
  overruled: { issue: MeasuredIssue; was: Measurement; by: Measurement }[];
  /** Nodes of which a subject was measured, but never reliably. */
  unreliable: Set<string>;
}

/** Sorts out what was measured: of each subject only the last measurement counts. Contract section 6. */
export function currentMeasurements(all: readonly Measurement[]): Current {
  const last = new Map<string, Measurement>();
  const replaced: { was: Measurement; key: string }[] = [];
  const unproven = new Map<string, string>();
  const replace = (key: string, by?: Measurement) => {
    const was = last.get(key);
    if (by) last.set(key, by);
    else last.delete(key);
    return was ? [was] : [];
  };
  for (const measurement of all.filter(isMeasured).toSorted((a, b) => a.sequence - b.sequence)) {
    const { node, tool, subject } = measurement;
    const key = JSON.stringify([node, tool, subject]);
    const proven = measurement.unreliable ? withoutTime(measurement) : measurement;
    if (proven === undefined) unproven.set(key, node);
    else if (proven === measurement)
      for (const was of [...replace(key, proven), ...replace(`${key} in part`)])
        replaced.push({ was, key });
    // A measurement that proves only a part replaces nothing but another such one.
    else
      for (const was of replace(`${key} in part`, proven))
        replaced.push({ was, key: `${key} in part` });
  }
  const measurements = [...last.values()].toSorted((a, b) => a.sequence - b.sequence);
  const unreliable = new Set(
    [...unproven].flatMap(([key, node]) =>
      last.has(key) || last.has(`${key} in part`) ? [] : [node],
    ),
  );
  const overruled = replaced.flatMap(({ was, key }) => {
    const by = last.get(key);
    return by === undefined
      ? []
      : was.issues
          .filter(({ severity, symptom }) => severity !== 'info' && !showsIt(by, symptom))
          .map((issue) => ({ issue, was, by }));
  });
  return { measurements, overruled, unreliable };
}

const showsIt = ({ issues }: Measurement, symptom: Symptom): boolean =>
  issues.some((issue) => issue.symptom === symptom);

/** What is left of an unreliable measurement; undefined where it showed nothing but issues of time. */
function withoutTime(measurement: Measurement): Measurement | undefined {
  const issues = measurement.issues.filter((issue) => !isOfTime(issue));
  if (issues.length === measurement.issues.length) return measurement;
  return issues.length === 0 ? undefined : { ...measurement, issues };
}
