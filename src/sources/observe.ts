import type { Observations, ObservedNode } from '../engine/observations.js';
import { quietUntilOf } from '../domain/telemetry/records.js';
import { objectsByNode } from '../domain/kubernetes/workload.js';
import type { Telemetry } from '../domain/topology/topology.js';
import { LogSample } from './log-sample.js';
import type { SourceAnswer } from './ports.js';
import type { DamagedLines, SourceSet } from './source-set.js';
import { SourceError } from './http/source-error.js';
import { readWithin } from './read-within.js';
import { withJson } from './recording/yaml-answers.js';
import { SeriesSample } from './series-sample.js';
import { UnreadNodesError } from './unread-nodes.js';
import { TraceSample } from './trace-sample.js';

/** Maximum records of each source in one diagnosis; further ones are omitted. */
const MOST_CHANGES = 2_000;
const MOST_OTHERS = 5_000;

/** ms that live servers may take for each kind of telemetry. */
const LIVE_MS = 120_000;

const EVERYTHING = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** The records of the sources, and why some could not be read. */
export interface ObservationsRead extends Observations {
  failed: ReadonlyMap<Telemetry, Error>;
  /** Damaged lines of recorded files. */
  leftOut: readonly DamagedLines[];
}

/**
 * Reads all sources once, as streams, into the input of the engine. Memory is bounded whatever the
 * sources contain: log lines become templates, and of too many traces a part is kept whole, chosen
 * by the trace's id. A source that cannot be read does not prevent others from being read; its
 * records before the failure are kept.
 * @param liveMs how long servers may take for each kind of telemetry; a recording may take as long
 *   as it needs
 * @throws the signal's reason
 */
export async function observe(
  sources: SourceSet,
  nodes: readonly ObservedNode[],
  signal: AbortSignal,
  liveMs = LIVE_MS,
): Promise<ObservationsRead> {
  const { frame, alerts, isRecorded } = sources;
  const query = { window: EVERYTHING };
  const failed = new Map<Telemetry, Error>();
  const attempt = async (
    what: Telemetry,
    read: (limited: AbortSignal) => Promise<void>,
    of?: Iterable<string>,
  ) => {
    try {
      await (isRecorded ? read(signal) : readWithin(liveMs, read, signal));
    } catch (error) {
      signal.throwIfAborted();
      const own = error instanceof Error ? error : new Error(String(error));
      failed.set(what, joinedError(failed.get(what), own, of));
    }
  };
  const list = async <Item>(
    what: Telemetry,
    ask: (limited: AbortSignal) => SourceAnswer<Item>,
    { most = MOST_OTHERS, of }: { most?: number; of?: Iterable<string> } = {},
  ): Promise<Item[]> => {
    const items: Item[] = [];
    const read = async (limited: AbortSignal) => {
      for await (const item of recordsOf(ask(limited))) if (items.push(item) === most) break;
    };
    await attempt(what, read, of);
    return items;
  };
  const traces = new TraceSample();
  const logs = new LogSample(quietUntilOf(frame), traces);
  const series = new SeriesSample();
  let isCut = false;
  await attempt('traces', async (limited) => {
    for await (const span of recordsOf(sources.traces.spans(query, limited))) traces.add(span);
  });
  await attempt('logs', async (limited) => {
    const answer = sources.logs.records(query, limited);
    isCut = answer.kind === 'records' && answer.coverage === 'partial';
    for await (const record of recordsOf(answer)) logs.add(record);
  });
  await attempt('metrics', async (limited) => {
    for await (const each of recordsOf(sources.metrics.series(query, limited))) series.add(each);
  });
  // At the same time, so that one that does not answer takes no time from the others.
  const clusters = await Promise.all(
    sources.kubernetes.map(async (cluster) => {
      const { selectors } = cluster;
      const of = selectors.keys();
      const objects = await list('kubernetes', (limited) => cluster.objects(limited), { of });
      return { objects, byNode: objectsByNode(objects, selectors) };
    }),
  );
  return {
    frame,
    nodes,
    alerts,
    failed,
    series: series.all(),
    spans: traces.spans(),
    templates: logs.templates(isCut),
    notes: logs.notes,
    patterns: await list('logs', (limited) => sources.logs.patterns(query, limited)),
    changes: await list('changes', (limited) => sources.changes.changes(query, limited), {
      most: MOST_CHANGES,
    }),
    status: await list('status', (limited) => sources.status.documents(limited)),
    recordings: (await list('recordings', (limited) => sources.recordings.answers(limited))).map(
      withJson,
    ),
    kubernetes: clusters.flatMap(({ objects }) => objects),
    kubernetesByNode: new Map(clusters.flatMap(({ byNode }) => [...byNode])),
    leftOut: sources.leftOut?.() ?? [],
  };
}

/** Unread telemetry, in all: a source of some nodes leaves only these unread. */
function joinedError(
  known: Error | undefined,
  error: Error,
  nodes: Iterable<string> | undefined,
): Error {
  if (nodes === undefined || !(error instanceof SourceError)) return error;
  const unread = known instanceof UnreadNodesError ? known.nodes : [];
  const own = [...nodes].map((node): [string, SourceError] => [node, error]);
  return new UnreadNodesError(new Map([...unread, ...own]));
}

async function* recordsOf<Item>(answer: SourceAnswer<Item>): AsyncGenerator<Item> {
  if (answer.kind === 'records') yield* answer.records;
}
