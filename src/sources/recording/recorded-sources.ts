import { basename } from 'node:path';
import { nodeNames } from '../node-names.js';
import {
  ChangeSource,
  LogSource,
  MetricSource,
  RecordingSource,
  TraceSource,
  type ChangeQuery,
  type LogQuery,
  type SeriesQuery,
  type SourceAnswer,
  type SourceQuery,
} from '../ports.js';
import type { DamagedLines, SourceSet } from '../source-set.js';
import type {
  Change,
  LogPattern,
  LogRecord,
  Series,
  Span,
  ToolRecording,
} from '../../domain/telemetry/records.js';
import { EVERYTHING } from '../../domain/kubernetes/workload.js';
import { isRecordedOf } from '../../domain/topology/recorded.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { groupBy } from '../../lib/group-by.js';
import type { Bundle } from './bundle.js';
import { BundleReader } from './bundle-reader.js';
import { changeIn, recordingIn } from './parse-changes.js';
import { logsIn, patternIn, podLogIn } from './parse-logs.js';
import { openMetricsIn, seriesIn } from './parse-metrics.js';
import { spansIn } from './parse-traces.js';
import { readLines } from './read-lines.js';
import { DOCUMENT, RecordedKubernetes, RecordedStatus } from './recorded-documents.js';
import { RecordedProbes } from './recorded-probes.js';

/**
 * Sources that read an incident bundle. Records later than `now` are not visible, except in the
 * baseline window.
 */
export function recordedSources(bundle: Bundle, nodes: readonly TopologyNode[]): SourceSet {
  const reader = new BundleReader(bundle, nodeNames(nodes));
  return {
    frame: bundle.frame,
    isRecorded: true,
    alerts: bundle.alerts,
    metrics: new RecordedMetrics(reader),
    logs: new RecordedLogs(reader),
    traces: new RecordedTraces(reader),
    changes: new RecordedChanges(reader),
    kubernetes: [...selectorsIn(nodes)].map(
      ([cluster, selectors]) => new RecordedKubernetes(reader, cluster, selectors),
    ),
    status: new RecordedStatus(reader),
    recordings: new RecordedAnswers(reader),
    leftOut: () => [...(bundle.hasDamagedAlerts ? [DAMAGED_ALERTS] : []), ...reader.leftOut()],
    probes: new RecordedProbes(bundle.files.probes ?? []),
  };
}

const DAMAGED_ALERTS = {
  telemetry: 'alerts',
  file: 'alerts.json',
  lines: 1,
  first: 1,
  isWhole: true,
} as const satisfies DamagedLines;

/**
 * The selections of nodes, by the cluster that their attribute `cluster` names: from the attribute
 * `kubernetes`, by default the objects that are named after the node.
 */
function selectorsIn(
  nodes: readonly TopologyNode[],
): ReadonlyMap<string | undefined, ReadonlyMap<string, string>> {
  const selected = nodes.filter((node) => isRecordedOf(node, 'kubernetes'));
  const clusterOf = ({ attributes: { cluster } }: TopologyNode) =>
    typeof cluster === 'string' ? cluster : undefined;
  // The only node of a topology is the cluster itself, if it selects nothing else.
  const isAlone = nodes.length === 1;
  const selectorOf = ({ id, kind, attributes: { kubernetes } }: TopologyNode) => {
    if (kind === 'kubernetes') return EVERYTHING;
    return typeof kubernetes === 'string' ? kubernetes : isAlone ? EVERYTHING : id;
  };
  const byCluster = groupBy(selected, clusterOf);
  return new Map(
    [...byCluster].map(([cluster, own]) => [
      cluster,
      new Map(own.map((node) => [node.id, selectorOf(node)])),
    ]),
  );
}

const LINES = /\.(?:ndjson|jsonl)(?:\.gz)?$/;
const PATTERNS = /^patterns\.(?:ndjson|jsonl)(?:\.gz)?$/;
const OPEN_METRICS = /\.om(?:\.gz)?$/;
const TEXT_LOG = /\.(?:log|txt)(?:\.gz)?$/;

const inWindow = (at: number, { window }: SourceQuery): boolean =>
  at >= window.from && at <= window.to;

/**
 * A record that was just parsed, with its node, if it has one. Not copied: there may be millions.
 */
const withNode = <Item extends object>(
  item: Item,
  node: string | undefined,
): Item & { node?: string } => (node === undefined ? item : Object.assign(item, { node }));

class RecordedMetrics extends MetricSource {
  constructor(private readonly reader: BundleReader) {
    super();
  }

  series(query: SeriesQuery, signal: AbortSignal): SourceAnswer<Series> {
    return this.reader.answerOfNodes('metrics', query.node, (files) =>
      this.read(files, query, signal),
    );
  }

  private async *read(files: readonly string[], query: SeriesQuery, signal: AbortSignal) {
    for (const file of files) {
      if (OPEN_METRICS.test(file)) {
        for await (const series of openMetricsIn(readLines(file, signal)))
          yield* this.visible(series, query);
      } else if (LINES.test(file) || DOCUMENT.test(file)) {
        const records = this.reader.records({ folder: 'metrics', path: file }, signal, seriesIn);
        for await (const series of records) yield* this.visible(series, query);
      }
    }
  }

  private *visible(series: Omit<Series, 'node'>, query: SeriesQuery): Generator<Series> {
    const node = this.reader.nodeOf(series.labels);
    if (query.node !== undefined && node !== query.node) return;
    if (query.names !== undefined && !query.names.includes(series.name)) return;
    const kept = series.times.flatMap((at, index) =>
      inWindow(at, query) && this.reader.isVisible(at) ? [index] : [],
    );
    if (kept.length === 0) return;
    const all = kept.length === series.times.length;
    const pick = (list: number[]) => (all ? list : kept.map((index) => list[index] as number));
    yield withNode({ ...series, times: pick(series.times), values: pick(series.values) }, node);
  }
}

class RecordedLogs extends LogSource {
  constructor(private readonly reader: BundleReader) {
    super();
  }

  records(query: LogQuery, signal: AbortSignal): SourceAnswer<LogRecord> {
    const isLog = (name: string) => !PATTERNS.test(name);
    const read = (files: readonly string[]) => this.read(files, query, signal);
    return this.reader.answerOfNodes('logs', query.node, read, isLog);
  }

  patterns(query: SourceQuery, signal: AbortSignal): SourceAnswer<LogPattern> {
    const read = (files: readonly string[]) => this.readPatterns(files, query, signal);
    return this.reader.answer('logs', 'log patterns', read, (name) => PATTERNS.test(name));
  }

  private async *read(files: readonly string[], query: LogQuery, signal: AbortSignal) {
    const text = query.text?.toLowerCase();
    for (const file of files)
      for await (const record of this.recordsOf(file, signal)) {
        if (!inWindow(record.at, query) || !this.reader.isVisible(record.at)) continue;
        const node = this.reader.nodeOf(record.labels);
        if (query.node !== undefined && node !== query.node) continue;
        if (text !== undefined && !record.body.toLowerCase().includes(text)) continue;
        yield withNode(record, node);
      }
  }

  private async *recordsOf(file: string, signal: AbortSignal) {
    if (TEXT_LOG.test(file)) {
      const pod = basename(file).replace(TEXT_LOG, '');
      for await (const line of readLines(file, signal)) {
        const record = podLogIn(line, pod);
        if (record) yield record;
      }
    } else if (LINES.test(file))
      yield* this.reader.records({ folder: 'logs', path: file }, signal, logsIn);
  }

  private async *readPatterns(files: readonly string[], query: SourceQuery, signal: AbortSignal) {
    for (const file of files)
      for await (const { labels, ...pattern } of this.reader.records(
        { folder: 'logs', path: file },
        signal,
        (value) => present(patternIn(value)),
      )) {
        const node = this.reader.nodeOf(labels);
        if (query.node === undefined || node === query.node) yield withNode(pattern, node);
      }
  }
}

const present = <Item>(item: Item | undefined): Item[] => (item === undefined ? [] : [item]);

class RecordedTraces extends TraceSource {
  constructor(private readonly reader: BundleReader) {
    super();
  }

  spans(query: SourceQuery, signal: AbortSignal): SourceAnswer<Span> {
    return this.reader.answerOfNodes('traces', query.node, (files) =>
      this.read(files, query, signal),
    );
  }

  private async *read(files: readonly string[], query: SourceQuery, signal: AbortSignal) {
    for (const file of files)
      for await (const { span, labels } of this.reader.records(
        { folder: 'traces', path: file },
        signal,
        spansIn,
      )) {
        if (!inWindow(span.start, query) || !this.reader.isVisible(span.start)) continue;
        const node = this.reader.nodeOf(labels);
        if (query.node === undefined || node === query.node) yield withNode(span, node);
      }
  }
}

class RecordedChanges extends ChangeSource {
  constructor(private readonly reader: BundleReader) {
    super();
  }

  changes(query: ChangeQuery, signal: AbortSignal): SourceAnswer<Change> {
    return this.reader.answerOfNodes('changes', query.node, (files) =>
      this.read(files, query, signal),
    );
  }

  private async *read(files: readonly string[], query: ChangeQuery, signal: AbortSignal) {
    for (const file of files)
      for await (const change of this.reader.records(
        { folder: 'changes', path: file },
        signal,
        (value) => present(changeIn(value)),
      )) {
        if (!inWindow(change.at, query) || !this.reader.isVisible(change.at)) continue;
        const named =
          change.node === undefined ? undefined : this.reader.nodeOf({ node: change.node });
        if (query.node === undefined || named === query.node) yield withNode(change, named);
      }
  }
}

class RecordedAnswers extends RecordingSource {
  constructor(private readonly reader: BundleReader) {
    super();
  }

  answers(signal: AbortSignal): SourceAnswer<ToolRecording> {
    return this.reader.answer('recordings', 'answers of other tools', (files) =>
      this.read(files, signal),
    );
  }

  private async *read(files: readonly string[], signal: AbortSignal) {
    for (const file of files.filter((name) => LINES.test(name)))
      yield* this.reader.records({ folder: 'recordings', path: file }, signal, (value) =>
        present(recordingIn(value)),
      );
  }
}
