import { LogTemplates } from '../domain/engine/logs/log-templates.js';
import {
  quietUntilOf,
  type Observations,
  type ObservedNode,
} from '../domain/engine/observations.js';
import type { Series } from '../domain/engine/records.js';
import type { SpanNote } from '../domain/engine/traces/trace-rules.js';
import { spanKey } from '../domain/engine/traces/trace-tree.js';
import { EVERYTHING as ALL_OBJECTS, objectsByNode } from '../domain/kubernetes/workload.js';
import type { Telemetry } from '../domain/topology/topology.js';
import type { SourceAnswer } from './ports.js';
import type { SourceSet } from './source-set.js';
import { readWithin } from './read-within.js';
import { SeriesSample } from './series-sample.js';
import { TraceSample } from './trace-sample.js';

/** What one diagnosis holds of each source; what is beyond is left off. */
const MOST_CHANGES = 2_000;
const MOST_OTHERS = 5_000;

/** ms that live servers may take for each kind of telemetry. */
const LIVE_MS = 120_000;

const EVERYTHING = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** What the sources show, and why some of it could not be read. */
export interface Reading extends Observations {
  failed: ReadonlyMap<Telemetry, Error>;
}

/**
 * Reads all sources once, as streams, into what the engine ranks by. Memory is bounded whatever the sources hold: log lines become
 * templates, and of too many traces a part is kept whole, chosen by the trace's id. A source that cannot be read keeps none of the
 * others from being read.
 *
 * @param liveMs how long servers may take for each kind of telemetry; a recording may take as long as it needs
 * @throws the signal's reason
 */
export async function observe(
  sources: SourceSet,
  nodes: readonly ObservedNode[],
  signal: AbortSignal,
  liveMs = LIVE_MS,
): Promise<Reading> {
  const { frame, alerts, isRecorded } = sources;
  const query = { window: EVERYTHING };
  const failed = new Map<Telemetry, Error>();
  const attempt = async <Part>(
    what: Telemetry,
    read: (limited: AbortSignal) => Promise<Part>,
    none: Part,
  ) => {
    try {
      return await (isRecorded ? read(signal) : readWithin(liveMs, read, signal));
    } catch (error) {
      signal.throwIfAborted();
      failed.set(what, error instanceof Error ? error : new Error(String(error)));
      return none;
    }
  };
  const list = <Item>(
    what: Telemetry,
    ask: (limited: AbortSignal) => SourceAnswer<Item>,
    most = MOST_OTHERS,
  ) => attempt(what, (limited) => collect(ask(limited), most), []);
  const sample = new TraceSample();
  await attempt('traces', (limited) => readTraces(sources, sample, limited), undefined);
  const noLogs: Awaited<ReturnType<typeof readLogs>> = { templates: [], notes: new Map() };
  const logs = await attempt('logs', (limited) => readLogs(sources, sample, limited), noLogs);
  const kubernetes = await list('kubernetes', (limited) => sources.kubernetes.objects(limited));
  return {
    ...{ frame, nodes, alerts, ...logs, failed, spans: sample.spans() },
    series: await attempt('metrics', (limited) => readSeries(sources, limited), []),
    patterns: await list('logs', (limited) => sources.logs.patterns(query, limited)),
    changes: await list(
      'changes',
      (limited) => sources.changes.changes(query, limited),
      MOST_CHANGES,
    ),
    status: await list('status', (limited) => sources.status.documents(limited)),
    recordings: await list('recordings', (limited) => sources.recordings.answers(limited)),
    ...{ kubernetes, kubernetesByNode: objectsByNode(kubernetes, selectorsOf(sources, nodes)) },
  };
}

const selectorsOf = ({ kubernetes }: SourceSet, nodes: readonly ObservedNode[]) =>
  // The only node of a topology is the cluster itself, if it selects nothing else.
  new Map(
    nodes.map(({ id }) => [
      id,
      kubernetes.selectorOf(id) ?? (nodes.length === 1 ? ALL_OBJECTS : id),
    ]),
  );

async function readTraces({ traces }: SourceSet, sample: TraceSample, signal: AbortSignal) {
  for await (const span of recordsOf(traces.spans({ window: EVERYTHING }, signal)))
    sample.add(span);
}

async function* recordsOf<Item>(answer: SourceAnswer<Item>): AsyncGenerator<Item> {
  if (answer.kind === 'records') yield* answer.records;
}

async function collect<Item>(answer: SourceAnswer<Item>, most: number): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of recordsOf(answer)) {
    if (items.length === most) break;
    items.push(item);
  }
  return items;
}

async function readLogs({ logs, frame }: SourceSet, sample: TraceSample, signal: AbortSignal) {
  const templates = new LogTemplates(quietUntilOf(frame));
  const notes = new Map<string, SpanNote[]>();
  for await (const record of recordsOf(logs.records({ window: EVERYTHING }, signal))) {
    const { id, error } = templates.add(record);
    const { traceId, spanId } = record;
    if (traceId === undefined || spanId === undefined || !sample.keeps(traceId)) continue;
    const key = spanKey(traceId, spanId);
    const known = notes.get(key);
    if (known === undefined) notes.set(key, [{ id, error }]);
    else if (!known.some((note) => note.id === id)) known.push({ id, error });
  }
  return { templates: templates.all(), notes };
}

async function readSeries({ metrics }: SourceSet, signal: AbortSignal): Promise<Series[]> {
  const sample = new SeriesSample();
  for await (const series of recordsOf(metrics.series({ window: EVERYTHING }, signal)))
    sample.add(series);
  return sample.all();
}
