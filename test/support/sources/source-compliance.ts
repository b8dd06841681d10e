import { describe, expect, test } from '@jest/globals';
import type { Change, LogRecord, Series, Span } from '../../../src/domain/telemetry/records.js';
import type {
  ChangeSource,
  LogSource,
  MetricSource,
  SourceAnswer,
  SourceQuery,
  TraceSource,
} from '../../../src/sources/ports.js';

/**
 * What every implementation of a port of telemetry must do, recorded or live. An implementation
 * gives `holding`: a source that holds these records, of the nodes `shop` and `cart`, and knows no
 * others. Times are minutes after {@link T0}.
 */

export const T0 = Date.parse('2026-01-01T00:00:00Z');
const minute = (n: number): number => T0 + n * 60_000;
export const WINDOW = { from: minute(0), to: minute(60) };
const live = new AbortController().signal;

export async function all<Item>(answer: SourceAnswer<Item>): Promise<Item[]> {
  if (answer.kind !== 'records') throw new Error(`not recorded: ${answer.reason}`);
  const items: Item[] = [];
  for await (const item of answer.records) items.push(item);
  return items;
}

/** Holds for every port: an aborted signal ends the reading, an unknown node has no records. */
function common<Item>(
  ask: (query: SourceQuery, signal: AbortSignal) => Promise<SourceAnswer<Item>>,
): void {
  test('rejects with the reason of an aborted signal', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(ask({ window: WINDOW }, stop.signal).then(all)).rejects.toThrow('enough');
  });

  test('has no records of a node that it does not know', async () => {
    expect(await all(await ask({ node: 'nowhere', window: WINDOW }, live))).toEqual([]);
  });

  test('has no records outside of the window', async () => {
    const window = { from: minute(100), to: minute(200) };
    expect(await all(await ask({ window }, live))).toEqual([]);
  });
}

const SERIES: readonly Series[] = [
  series('http_p99_ms', 'shop', [10, 20, 30]),
  series('http_p99_ms', 'cart', [1, 2, 3]),
  series('cpu_percent', 'cart', [50, 60, 70]),
];

function series(name: string, node: string, values: number[]): Series {
  return { name, labels: { service: node }, node, times: values.map((_, i) => minute(i)), values };
}

export function describeMetricSource(
  name: string,
  holding: (series: readonly Series[]) => Promise<MetricSource>,
): void {
  describe(`${name} as a source of metrics`, () => {
    const source = () => holding(SERIES);
    common(async (query, signal) => (await source()).series(query, signal));

    test('yields the series of all nodes, with their labels and points', async () => {
      const found = await all((await source()).series({ window: WINDOW }, live));
      expect(found.map(({ node, name: metric }) => `${node} ${metric}`).sort()).toEqual([
        'cart cpu_percent',
        'cart http_p99_ms',
        'shop http_p99_ms',
      ]);
      expect(found.find(({ node }) => node === 'shop')).toMatchObject({
        labels: { service: 'shop' },
        times: [minute(0), minute(1), minute(2)],
        values: [10, 20, 30],
      });
    });

    test('yields only the series of the node and the names that are asked for', async () => {
      const query = { node: 'cart', names: ['cpu_percent'], window: WINDOW };
      const found = await all((await source()).series(query, live));
      expect(found.map(({ node, name: metric }) => [node, metric])).toEqual([
        ['cart', 'cpu_percent'],
      ]);
    });

    test('cuts series to the window, both ends included', async () => {
      const query = { node: 'shop', window: { from: minute(1), to: minute(1) } };
      const [only] = await all((await source()).series(query, live));
      expect(only).toMatchObject({ times: [minute(1)], values: [20] });
    });
  });
}

const LOGS: readonly LogRecord[] = [
  {
    at: minute(1),
    node: 'shop',
    severity: 'INFO',
    body: 'order 1 placed',
    labels: { service: 'shop' },
  },
  {
    at: minute(2),
    node: 'shop',
    severity: 'ERROR',
    body: 'cannot reach Cart',
    labels: { service: 'shop' },
    traceId: 'aa',
    spanId: 'bb',
  },
  {
    at: minute(3),
    node: 'cart',
    severity: 'WARN',
    body: 'pool is full',
    labels: { service: 'cart' },
  },
];

export function describeLogSource(
  name: string,
  holding: (records: readonly LogRecord[]) => Promise<LogSource>,
): void {
  describe(`${name} as a source of logs`, () => {
    const source = () => holding(LOGS);
    common(async (query, signal) => (await source()).records(query, signal));

    test('yields the records of a node, with severity and span', async () => {
      const found = await all((await source()).records({ node: 'shop', window: WINDOW }, live));
      const { severity, body, traceId, spanId } = found.find(({ at }) => at === minute(2)) ?? {};
      expect(found).toHaveLength(2);
      expect({ severity, body, traceId, spanId }).toEqual({
        severity: 'ERROR',
        body: 'cannot reach Cart',
        traceId: 'aa',
        spanId: 'bb',
      });
    });

    test('finds a text whatever its case', async () => {
      const found = await all((await source()).records({ text: 'CART', window: WINDOW }, live));
      expect(found.map(({ body }) => body)).toEqual(['cannot reach Cart']);
    });
  });
}

const SPANS: readonly Span[] = [
  {
    traceId: 'aa',
    spanId: '1',
    node: 'shop',
    name: 'GET /cart',
    start: minute(1),
    durationMs: 250,
    error: 'timed out',
    attributes: { 'http.route': '/cart' },
  },
  {
    traceId: 'aa',
    spanId: '2',
    parentId: '1',
    node: 'cart',
    name: 'list',
    start: minute(1) + 10,
    durationMs: 200,
    attributes: {},
  },
];

export function describeTraceSource(
  name: string,
  holding: (spans: readonly Span[]) => Promise<TraceSource>,
): void {
  describe(`${name} as a source of traces`, () => {
    const source = () => holding(SPANS);
    common(async (query, signal) => (await source()).spans(query, signal));

    test('yields spans with parent, duration, error and attributes', async () => {
      const found = await all((await source()).spans({ window: WINDOW }, live));
      const sorted = found.toSorted((a, b) => a.start - b.start);
      expect(sorted).toMatchObject(SPANS);
      expect(sorted[1]?.error).toBeUndefined();
    });
  });
}

export const CHANGES: readonly Change[] = [
  { kind: 'deploy', at: minute(4), node: 'cart', version: 'v2', commit: 'c0ffee1' },
  { kind: 'deploy', at: minute(9), node: 'shop', version: 'v7' },
];

export function describeChangeSource(
  name: string,
  holding: (changes: readonly Change[]) => Promise<ChangeSource>,
): void {
  describe(`${name} as a source of changes`, () => {
    const source = () => holding(CHANGES);
    common(async (query, signal) => (await source()).changes(query, signal));

    test('yields the changes of a node in the window', async () => {
      const found = await all((await source()).changes({ node: 'cart', window: WINDOW }, live));
      // A live server adds ids, authors and texts.
      expect(found).toEqual([expect.objectContaining({ ...CHANGES[0] })]);
    });
  });
}
