import { expect, test } from '@jest/globals';
import { anyEgress } from '../../test/support/any-egress.js';
import { objectOf } from '../../test/support/sources/kubernetes-objects.js';
import type { KubernetesObject } from '../domain/telemetry/records.js';
import { SourceError } from './http/source-error.js';
import { liveSources } from './live/live-sources.js';
import { observe } from './observe.js';
import { ChangeSource, KubernetesSource, MetricSource } from './ports.js';

const refusal = new SourceError('refused', 'the credential has no right to read');
class RefusedMetrics extends MetricSource {
  series(): never {
    throw refusal;
  }
}
class OneChange extends ChangeSource {
  changes() {
    const records = (async function* () {
      yield { kind: 'deploy' as const, at: 1, node: 'api' };
      await Promise.resolve();
    })();
    return { kind: 'records' as const, coverage: 'complete' as const, records };
  }
}
const sources = {
  ...liveSources({ nodes: [] }, [], {
    egress: anyEgress,
    secretOf: () => undefined,
    now: 10,
  }),
  metrics: new RefusedMetrics(),
  changes: new OneChange(),
};

test('reads what can be read, and says why the rest cannot', async () => {
  const seen = await observe(sources, [], new AbortController().signal);
  expect(seen.changes).toHaveLength(1);
  expect([...seen.failed]).toEqual([['metrics', refusal]]);
});

class SilentMetrics extends MetricSource {
  series(_query: unknown, signal: AbortSignal) {
    const records = (async function* () {
      await new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
      yield* [];
    })();
    return { kind: 'records' as const, coverage: 'complete' as const, records };
  }
}

test('waits no longer for a server than it may take, and reads the others', async () => {
  const slow = { ...sources, metrics: new SilentMetrics() };
  const seen = await observe(slow, [], new AbortController().signal, 50);
  expect(seen.changes).toHaveLength(1);
  expect(seen.failed.get('metrics')?.message).toBe('not read within 50 ms');
});

class OneCluster extends KubernetesSource {
  readonly id = 'k8s';
  readonly selectors: ReadonlyMap<string, string>;

  constructor(
    node: string,
    private readonly read: (signal: AbortSignal) => Promise<KubernetesObject[]>,
  ) {
    super();
    this.selectors = new Map([[node, '*']]);
  }

  objects(signal: AbortSignal) {
    const { read } = this;
    const records = (async function* () {
      yield* await read(signal);
    })();
    return { kind: 'records' as const, coverage: 'complete' as const, records };
  }

  lists() {
    return Promise.resolve({ refused: [], incomplete: false });
  }
}

test('reads each cluster for as long as it may take, though others do not answer', async () => {
  const silent = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  const kubernetes = [
    new OneCluster('a', silent),
    new OneCluster('b', () => Promise.resolve([objectOf('Pod', {})])),
    new OneCluster('c', silent),
  ];
  const seen = await observe({ ...sources, kubernetes }, [], new AbortController().signal, 50);
  expect(seen.kubernetesByNode.get('b')).toEqual([objectOf('Pod', {})]);
  const late = expect.objectContaining({ message: 'not read within 50 ms' }) as unknown;
  expect(seen.failed.get('kubernetes')).toMatchObject({
    nodes: new Map([
      ['a', late],
      ['c', late],
    ]),
  });
});

test('rejects with the reason of an aborted signal', async () => {
  const stop = new AbortController();
  stop.abort(new Error('enough'));
  await expect(observe(sources, [], stop.signal)).rejects.toThrow('enough');
});
