import type { Change, KubernetesObject, LogRecord } from '../../domain/telemetry/records.js';
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

/** Objects and events of a live cluster. */
export class LiveKubernetes extends KubernetesSource {
  readonly id: string;
  readonly selectors: ReadonlyMap<string, string>;

  constructor(private readonly cluster: LiveCluster) {
    super();
    this.id = cluster.id;
    this.selectors = cluster.selectors;
  }

  objects(signal: AbortSignal): SourceAnswer<KubernetesObject> {
    return { kind: 'records', coverage: 'complete', records: this.read(signal) };
  }

  async lists(signal: AbortSignal): Promise<KubernetesLists> {
    const { kinds, refused, incomplete } = await this.cluster.read(signal);
    return {
      kinds: new Set([...kinds].filter((kind) => !refused.has(kind))),
      refused: [...refused],
      incomplete,
      namespaces: this.cluster.listed.namespaces,
    };
  }

  private async *read(signal: AbortSignal): AsyncGenerator<KubernetesObject> {
    // By kind, as in a recording: evidence of equal weight is named in the order in which it was
    // read.
    yield* (await this.cluster.read(signal)).objects.toSorted((a, b) =>
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

/**
 * Logs of the pods that nodes select: the last lines of each container, and of its previous
 * instance.
 */
export class LivePodLogs extends LogSource {
  /** @param others nodes with logs in another source */
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
