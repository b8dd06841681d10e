import { LogTemplates } from '../domain/engine/logs/log-templates.js';
import {
  quietUntilOf,
  type Observations,
  type ObservedNode,
} from '../domain/engine/observations.js';
import type { Series } from '../domain/engine/records.js';
import type { SpanNote } from '../domain/engine/traces/trace-rules.js';
import { spanKey } from '../domain/engine/traces/trace-tree.js';
import type { SourceAnswer } from './ports.js';
import type { SourceSet } from './source-set.js';
import { SeriesSample } from './series-sample.js';
import { TraceSample } from './trace-sample.js';

/** What one diagnosis holds of each source; what is beyond is left off. */
const MOST_CHANGES = 2_000;
const MOST_OTHERS = 5_000;

const EVERYTHING = { from: 0, to: Number.MAX_SAFE_INTEGER };

/**
 * Reads all sources once, as streams, into what the engine ranks by. Memory is bounded whatever the sources hold: log lines become
 * templates, and of too many traces a part is kept whole, chosen by the trace's id.
 */
export async function observe(
  sources: SourceSet,
  nodes: readonly ObservedNode[],
  signal: AbortSignal,
): Promise<Observations> {
  const { frame, alerts } = sources;
  const query = { window: EVERYTHING };
  const sample = new TraceSample();
  for await (const span of recordsOf(sources.traces.spans(query, signal))) sample.add(span);
  const { templates, notes } = await readLogs(sources, sample, signal);
  return {
    ...{ frame, nodes, alerts, templates, notes, spans: sample.spans() },
    series: await readSeries(sources, signal),
    patterns: await collect(sources.logs.patterns(query, signal)),
    changes: await collect(sources.changes.changes(query, signal), MOST_CHANGES),
    status: await collect(sources.status.documents(signal)),
    recordings: await collect(sources.recordings.answers(signal)),
    kubernetes: await collect(sources.kubernetes.objects(signal)),
  };
}

async function* recordsOf<Item>(answer: SourceAnswer<Item>): AsyncGenerator<Item> {
  if (answer.kind === 'records') yield* answer.records;
}

async function collect<Item>(answer: SourceAnswer<Item>, most = MOST_OTHERS): Promise<Item[]> {
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
