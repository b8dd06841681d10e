import type { KubernetesObject } from '../../domain/telemetry/records.js';
import { EVERYTHING, objectsOf, workloadIn } from '../../domain/kubernetes/workload.js';
import { abortable } from '../../lib/async.js';
import { errorOfSource, SourceError } from '../http/source-error.js';
import type { SourceReach } from '../live/source-reach.js';
import type { ListedKubernetes } from '../live/sources-file.js';
import { readWithin } from '../read-within.js';
import { withKubernetes } from './connect-kubernetes.js';
import { expectNamespace } from './expect-namespace.js';
import { type ClusterReading, readCluster } from './read-cluster.js';

/** Maximum ms of a reading: it has up to 30 requests for each of 50 namespaces. */
const READING_MS = 120_000;

/** A cluster that nodes select from. It is read once for all tools of a diagnosis. */
export class LiveCluster {
  private reading: Promise<ClusterReading> | undefined;

  /** @param selectors `deployment/orders` or `*`, by the id of a node */
  constructor(
    readonly listed: ListedKubernetes,
    readonly reach: SourceReach,
    readonly selectors: ReadonlyMap<string, string>,
    readonly readingMs = READING_MS,
  ) {}

  get id(): string {
    return this.listed.id;
  }

  /**
   * All objects of its namespaces, and the kinds that may not be listed.
   * @throws SourceError; the signal's reason
   */
  read(signal: AbortSignal): Promise<ClusterReading> {
    signal.throwIfAborted();
    this.reading ??= this.readAll().catch((error: unknown) => {
      // The next call retries, unless the server timed out: each tool would wait as long.
      const hasWaited = error instanceof SourceError && error.options.waitedMs !== undefined;
      if (!hasWaited) this.reading = undefined;
      throw error instanceof SourceError ? errorOfSource(this.id, error) : error;
    });
    return abortable(this.reading, signal);
  }

  /** The reading serves all calls: the signal of one must not end it. It has its own time limit. */
  private readAll(): Promise<ClusterReading> {
    const { namespaces } = this.listed;
    return readWithin(this.readingMs, (signal) =>
      withKubernetes(this.listed, this.reach, (server) =>
        readCluster({ server, namespaces }, signal),
      ),
    );
  }

  /**
   * The objects that a node selects.
   * @throws SourceError, also if it selects from a namespace that is not listed; the signal's
   *   reason
   */
  async objectsOf(node: string, signal: AbortSignal): Promise<KubernetesObject[]> {
    const selector = this.selectors.get(node);
    if (selector !== undefined) expectNamespace(selector, this.listed.namespaces);
    const { objects } = await this.read(signal);
    if (selector === undefined) return [];
    if (selector === EVERYTHING) return objects;
    const workload = workloadIn(selector);
    return workload ? [...objectsOf(workload, objects)] : [];
  }
}
