import type { Change, KubernetesObject, LogRecord } from '../../domain/engine/records.js';
import { rolloutsOf } from '../../domain/kubernetes/rollouts.js';
import {
  ChangeSource,
  KubernetesSource,
  LogSource,
  notRecorded,
  type ChangeQuery,
  type KubernetesLists,
  type LogQuery,
  type SourceAnswer,
} from '../ports.js';
import { readNodes } from '../read-nodes.js';
import type { LiveCluster } from './live-cluster.js';
import { readPodLogs } from './pod-logs.js';

/** Objects and events of live clusters. */
export class LiveKubernetes extends KubernetesSource {
  constructor(private readonly clusters: readonly LiveCluster[]) {
    super();
  }

  objects(signal: AbortSignal): SourceAnswer<KubernetesObject> {
    return { kind: 'records', coverage: 'complete', records: this.read(signal) };
  }

  async lists(signal: AbortSignal): Promise<KubernetesLists> {
    const readings = await Promise.all(this.clusters.map((cluster) => cluster.read(signal)));
    const refused = readings.flatMap((reading) => [...reading.refused]);
    // A kind that one of several clusters does not show is not known.
    const kinds = readings.flatMap((reading) => [...reading.kinds]);
    return {
      kinds: new Set(kinds.filter((kind) => !refused.includes(kind))),
      refused: [...new Set(refused)],
      incomplete: readings.some(({ incomplete }) => incomplete),
    };
  }

  override selectorOf(node: string): string | undefined {
    return this.clusters.flatMap(({ selectors }) => selectors.get(node) ?? [])[0];
  }

  private async *read(signal: AbortSignal): AsyncGenerator<KubernetesObject> {
    // By kind, as a recording has them: evidence of equal weight is named in the order in which it was read.
    for (const cluster of this.clusters)
      yield* (await cluster.read(signal)).objects.toSorted((a, b) =>
        a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0,
      );
  }
}

/** Rollouts of the deployments that nodes select. */
export class LiveRollouts extends ChangeSource {
  constructor(private readonly clusters: readonly LiveCluster[]) {
    super();
  }

  changes(query: ChangeQuery, signal: AbortSignal): SourceAnswer<Change> {
    return { kind: 'records', coverage: 'complete', records: this.read(query, signal) };
  }

  private async *read({ node, window }: ChangeQuery, signal: AbortSignal): AsyncGenerator<Change> {
    yield* readNodes(this.clusters, { node, signal }, async function* (cluster, id) {
      const own = await cluster.objectsOf(id, signal);
      for (const each of own.filter(({ kind }) => kind === 'Deployment'))
        for (const change of rolloutsOf(each, own))
          if (change.at >= window.from && change.at <= window.to) yield { ...change, node: id };
    });
  }
}

/** Logs of the pods that nodes select: the end of each container's, and of its former life. */
export class LivePodLogs extends LogSource {
  /** @param others nodes whose logs another source has */
  constructor(
    private readonly clusters: readonly LiveCluster[],
    private readonly others: ReadonlySet<string> = new Set(),
  ) {
    super();
  }

  records(query: LogQuery, signal: AbortSignal): SourceAnswer<LogRecord> {
    return { kind: 'records', coverage: 'partial', records: this.read(query, signal) };
  }

  patterns() {
    return notRecorded('log patterns');
  }

  private async *read(query: LogQuery, signal: AbortSignal): AsyncGenerator<LogRecord> {
    signal.throwIfAborted();
    const { from, to } = query.window;
    const text = query.text?.toLowerCase();
    const fits = ({ at, body }: Pick<LogRecord, 'at' | 'body'>) =>
      at >= from && at <= to && (text === undefined || body.toLowerCase().includes(text));
    const { others } = this;
    yield* readNodes(this.clusters, { node: query.node, signal }, async function* (cluster, node) {
      if (others.has(node)) return;
      for (const record of await readPodLogs(cluster, node, signal))
        if (fits(record)) yield { ...record, node };
    });
  }
}
