import type { KubernetesObject } from '../../domain/telemetry/records.js';
import type { SourceError } from '../http/source-error.js';
import { KubernetesSource, type KubernetesLists, type SourceAnswer } from '../ports.js';

/** A cluster that SOURCES_FILE does not list: the nodes that select from it cannot be read. */
export class UnlistedKubernetes extends KubernetesSource {
  constructor(
    readonly id: string,
    readonly selectors: ReadonlyMap<string, string>,
    private readonly error: SourceError,
  ) {
    super();
  }

  objects(): SourceAnswer<KubernetesObject> {
    const { error } = this;
    const records = (async function* (): AsyncGenerator<KubernetesObject> {
      await Promise.reject(error);
    })();
    return { kind: 'records', coverage: 'complete', records };
  }

  lists(): Promise<KubernetesLists> {
    return Promise.reject(this.error);
  }
}
