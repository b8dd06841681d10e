import { expect, test } from '@jest/globals';
import { anyEgress } from '../../test/support/any-egress.js';
import { contextOf, nodeOf } from '../../test/support/loopback.js';
import { until } from '../../test/support/until.js';
import { SourceError } from '../sources/http/source-error.js';
import { liveSources } from '../sources/live/live-sources.js';
import { MetricSource } from '../sources/ports.js';
import { UnreadNodesError } from '../sources/unread-nodes.js';
import { observed } from './observed.js';

const refused = new SourceError('refused', 'may not look');
class OneSeries extends MetricSource {
  constructor(private readonly error: SourceError) {
    super();
  }
  series() {
    const { error } = this;
    const records = (async function* () {
      yield { name: 'up', labels: {}, node: 'target', times: [1], values: [1] };
      await Promise.resolve();
      throw error;
    })();
    return { kind: 'records' as const, coverage: 'complete' as const, records };
  }
}
const contextWith = (error: SourceError) => {
  const reach = { egress: anyEgress, secretOf: () => undefined, now: 10 };
  const sources = {
    ...liveSources({ nodes: [] }, [], reach),
    metrics: new OneSeries(error),
  };
  return { ...contextOf(nodeOf('service')), sources };
};

test('has what was read of a node if another node could not be read', async () => {
  const others = new UnreadNodesError(new Map([['other', refused]]));
  expect((await observed(contextWith(others), 'metrics')).series).toHaveLength(1);
});

test('throws what kept the node from being read', async () => {
  await expect(observed(contextWith(refused), 'metrics')).rejects.toBe(refused);
  expect((await observed(contextWith(refused))).series).toHaveLength(1);
  const unread = contextWith(new UnreadNodesError(new Map([['other', refused]])));
  const other = { ...unread, node: { ...unread.node, id: 'other' } };
  await expect(observed(other, 'metrics')).rejects.toBe(refused);
});

test('names the source of a node that could not be read beside what another has', async () => {
  const error = new UnreadNodesError(new Map([['target', refused]]));
  expect(await observed(contextWith(error), 'metrics')).toMatchObject({
    series: [{ node: 'target' }],
    unread: refused,
  });
});

test('reads for four diagnoses of a process at once, and for the next one when one has been read', async () => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  class Held extends MetricSource {
    constructor(private readonly which: number) {
      super();
    }
    series() {
      begun.push(this.which);
      const end = new Promise<void>((resolve) => ends.push(resolve));
      const records = (async function* () {
        await end;
        yield { name: 'up', labels: {}, node: 'target', times: [1], values: [1] };
      })();
      return { kind: 'records' as const, coverage: 'complete' as const, records };
    }
  }
  const readings = Array.from({ length: 6 }, (_, which) => {
    const context = contextWith(refused);
    return observed({ ...context, sources: { ...context.sources, metrics: new Held(which) } });
  });
  for (const count of [4, 5, 6]) {
    await until('those that are read', () => begun.length >= count);
    await new Promise(setImmediate);
    expect(begun).toHaveLength(count);
    ends[count - 4]?.();
  }
  for (const end of ends) end();
  for (const { series } of await Promise.all(readings)) expect(series).toHaveLength(1);
});
