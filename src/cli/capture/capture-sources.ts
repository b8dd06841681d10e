import type { Config } from '../../config/config.js';
import { ConsiliumError } from '../../domain/errors.js';
import type { IncidentFrame, Span } from '../../domain/telemetry/records.js';
import { parseTopology } from '../../domain/topology/parse-topology.js';
import { clip } from '../../lib/text.js';
import { redactSecrets } from '../../lib/redact-secrets.js';
import type { Json, JsonObject } from '../../lib/json.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { readSourcesFile } from '../../sources/live/sources-file.js';
import { SourceError } from '../../sources/http/source-error.js';
import type { KubernetesSource, SourceAnswer } from '../../sources/ports.js';
import type { RecordedGap } from '../../sources/recording/manifest.js';
import { UnreadNodesError } from '../../sources/unread-nodes.js';
import type { SourceSet } from '../../sources/source-set.js';
import { EgressPolicy } from '../../tools/egress/egress-policy.js';
import { sourceEgress } from '../../tools/egress/source-egress.js';
import type { BundleWriter } from './bundle-writer.js';

/** A tool set that applies to every node: a capture runs no tools. */
const ANY_TOOL = [{ name: 'capture', appliesTo: () => true }];

export interface CaptureWindow {
  /** ms; the same hours of the day before are captured as the baseline. */
  start: number;
  now: number;
}

/** How many records of each kind were written; kinds without a source are left out. */
export type CaptureCounts = Partial<
  Record<'series' | 'log lines' | 'spans' | 'changes' | 'Kubernetes objects', number>
>;

/** The result of a capture of live sources. */
export interface SourcesCapture {
  frame: IncidentFrame;
  captured: CaptureCounts;
  /** Why a kind of records is missing: one line for each source or node that could not be read. */
  missing: string[];
  /** The same, by node, so that a replay has the same gaps. */
  unread: RecordedGap[];
}

/**
 * Writes the telemetry of a topology's live sources in a window, and metrics of the same hours of
 * the day before, into a bundle. Each record is labelled with its node, since a recording has no
 * selectors. If a source cannot be read, as is common in an incident, the others are still
 * captured; incident.yaml lists what is missing. A kind without any record gets no file.
 * @param topology as in a file or the service, not validated
 * @returns undefined if the topology names no live source
 * @throws ConsiliumError VALIDATION_FAILED; the signal's reason
 */
export async function captureSources(
  topology: unknown,
  { start, now }: CaptureWindow,
  { writer, config, signal }: { writer: BundleWriter; config: Config; signal: AbortSignal },
): Promise<SourcesCapture | undefined> {
  const { globalSupervisor: _, teams: __, ...own } = (topology ?? {}) as Record<string, unknown>;
  const parsed = parseTopology(own, ANY_TOOL);
  if ('faults' in parsed)
    throw new ConsiliumError('VALIDATION_FAILED', 'The topology has faults.', {
      faults: parsed.faults,
    });
  const kinds = (parsed.topology.sources ?? []).map(({ kind }) => kind);
  if (kinds.length === 0 || kinds.includes('recording')) return undefined;
  const { egressAllow, egressDeny, sourcesFile, secretOf } = config;
  const egress = sourceEgress(EgressPolicy.of(egressAllow, egressDeny, []));
  const listed = readSourcesFile(sourcesFile);
  const sources = liveSources(parsed.topology, listed, { egress, secretOf, start, now });
  const captured: CaptureCounts = {};
  const missing: string[] = [];
  const unread: RecordedGap[] = [];
  const write = async (what: keyof CaptureCounts, path: string, { lines, error }: Lines) => {
    if (error) missing.push(`${what}: ${redactSecrets(error.message)}`);
    unread.push(...gapsOf(TELEMETRY[what], error));
    if (lines === undefined) return;
    await writer.lines(path, lines);
    captured[what] = lines.length;
  };
  const [metrics, logs, traces, changes] = await linesOf(sources, { start, now }, signal);
  if (kinds.includes('prometheus')) await write('series', 'metrics/prometheus.ndjson', metrics);
  await write('log lines', 'logs/lines.ndjson', logs);
  await write('spans', 'traces/spans.ndjson', traces);
  await write('changes', 'changes/rollouts.ndjson', changes);
  const objects = await captureKubernetes(sources, writer, signal);
  if (objects.error) missing.push(`Kubernetes objects: ${redactSecrets(objects.error.message)}`);
  if (objects.count !== undefined) captured['Kubernetes objects'] = objects.count;
  return { frame: sources.frame, captured, missing, unread };
}

const TELEMETRY: Readonly<Partial<Record<keyof CaptureCounts, RecordedGap['telemetry']>>> = {
  series: 'metrics',
  'log lines': 'logs',
  spans: 'traces',
  changes: 'changes',
};
const MOST_REASON = 1_000;

const gapsOf = (
  telemetry: RecordedGap['telemetry'] | undefined,
  error: SourceError | undefined,
): RecordedGap[] =>
  telemetry === undefined || !(error instanceof UnreadNodesError)
    ? []
    : [...error.nodes].map(([node, { message, failure }]) => ({
        telemetry,
        node,
        refused: failure === 'refused',
        reason: clip(redactSecrets(message), MOST_REASON),
      }));

/** The records of one kind; no lines if no source has any, or nothing could be read. */
interface Lines {
  lines?: Json[];
  error?: SourceError;
}

/** Writes the lines of metrics, logs, traces and changes. */
async function linesOf(
  { metrics, logs, traces, changes }: SourceSet,
  { now }: CaptureWindow,
  signal: AbortSignal,
): Promise<[Lines, Lines, Lines, Lines]> {
  // Logs are bounded by lines; metrics by the windows of their source.
  const window = { from: 0, to: now };
  return Promise.all([
    linesIn(metrics.series({ window }, signal), ({ name, labels, node = '', times, values }) => ({
      metric: { ...redacted(labels), __name__: name, 'service.name': node },
      values: times.map((at, i) => [at / 1_000, String(values[i])]),
    })),
    linesIn(logs.records({ window }, signal), ({ at, node = '', severity, body, ...line }) => ({
      timestamp: iso(at),
      severity_text: severity,
      body: redactSecrets(body),
      // The series may have a label for a service, too: here the label is the node.
      resource: {},
      attributes: { ...redacted(line.labels), 'service.name': node },
      ...(line.traceId !== undefined && { trace_id: line.traceId }),
      ...(line.spanId !== undefined && { span_id: line.spanId }),
    })),
    linesIn(traces.spans({ window }, signal), spanLine),
    linesIn(changes.changes({ window }, signal), ({ at, message, diff, ...change }) => ({
      time: iso(at),
      ...change,
      ...(message !== undefined && { message: redactSecrets(message) }),
      ...(diff !== undefined && { diff: redactSecrets(diff) }),
    })),
  ]);
}

/** A span as a separate OTLP/JSON request. */
function spanLine({ node = '', error, attributes, ...span }: Span): Json {
  const nanos = (ms: number) => `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;
  const textsOf = (texts: Record<string, string>) =>
    Object.entries(texts).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const written = {
    traceId: span.traceId,
    spanId: span.spanId,
    name: span.name,
    ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
    startTimeUnixNano: nanos(span.start),
    endTimeUnixNano: nanos(span.start + span.durationMs),
    ...(error !== undefined && { status: { code: 2, message: redactSecrets(error) } }),
    attributes: textsOf(redacted(attributes)),
  };
  const resource = { attributes: textsOf({ 'service.name': node }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [written] }] }] };
}

async function linesIn<Item>(
  answer: SourceAnswer<Item>,
  lineOf: (item: Item) => Json,
): Promise<Lines> {
  if (answer.kind === 'not_recorded') return {};
  const lines: Json[] = [];
  try {
    for await (const item of answer.records) lines.push(lineOf(item));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { ...(lines.length > 0 && { lines }), error };
  }
  return { lines };
}

/** @returns the number of objects; undefined if no source has any */
async function captureKubernetes(
  { kubernetes }: SourceSet,
  writer: BundleWriter,
  signal: AbortSignal,
): Promise<{ count?: number; error?: SourceError }> {
  const all: { count?: number; error?: SourceError } = {};
  for (const [index, cluster] of kubernetes.entries()) {
    const suffix = index === 0 ? '' : `-${index + 1}`;
    const { count, error } = await captureCluster(cluster, { writer, suffix }, signal);
    if (count !== undefined) all.count = (all.count ?? 0) + count;
    if (error !== undefined) all.error ??= error;
  }
  return all;
}

/**
 * Writes one list for each kind that was read, even if it is empty, and the refusal of each kind
 * that may not be listed.
 */
async function captureCluster(
  cluster: KubernetesSource,
  { writer, suffix }: { writer: BundleWriter; suffix: string },
  signal: AbortSignal,
): Promise<{ count?: number; error?: SourceError }> {
  const { lines: objects, error } = await linesIn(cluster.objects(signal), ({ kind, object }) => ({
    kind,
    object: redactTexts(object as Json),
  }));
  if (objects === undefined || error) return error ? { error } : {};
  const listed = await cluster.lists(signal).catch((thrown: unknown) => {
    if (thrown instanceof SourceError) return thrown;
    throw thrown;
  });
  if (listed instanceof SourceError) return { error: listed };
  const { kinds = [], refused, namespaces = [] } = listed;
  const label: JsonObject =
    cluster.id === undefined
      ? {}
      : { cluster: { source: cluster.id, namespaces: [...namespaces] } };
  const held = objects as { kind: string; object: Json }[];
  const write = (kind: string, list: JsonObject) =>
    writer.lines(`kubernetes/${kind}${suffix}.json`, [{ ...label, ...list }]);
  for (const kind of kinds) {
    const items = held.filter((each) => each.kind === kind).map(({ object }) => object);
    await write(kind, { kind: `${kind}List`, items });
  }
  for (const kind of refused)
    await write(kind, {
      kind: 'Status',
      status: 'Failure',
      reason: 'Forbidden',
      details: { kind },
    });
  return { count: objects.length };
}

/**
 * Texts that look like credentials. Names of fields are not used: in an object, `secretName` is not
 * a secret.
 */
function redactTexts(value: Json): Json {
  if (typeof value === 'string') return redactSecrets(value);
  if (Array.isArray(value)) return value.map(redactTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactTexts(item)]));
}

const redacted = (labels: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, redactSecrets(value)]));

/** What is missing in a bundle, for the person who captures it. */
export const missingText = (missing: readonly string[]): string =>
  missing.map((line) => `Not in the bundle: ${line}\n`).join('');

/** The times of a frame in the form of incident.yaml. */
export const framed = ({ start, now, baseline }: IncidentFrame) => ({
  start: iso(start),
  now: iso(now),
  ...(baseline && { baseline: { from: iso(baseline.from), to: iso(baseline.to) } }),
});

const iso = (at: number): string => new Date(at).toISOString();
