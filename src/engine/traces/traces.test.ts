import { describe, expect, test } from '@jest/globals';
import type { Span } from '../../domain/telemetry/records.js';
import { latencyShares } from './trace-latency.js';
import { brokenRules } from './trace-rules.js';
import { buildTraces, phaseOf } from './trace-tree.js';

const frame = {
  start: 0,
  now: 2_000_000,
  reportedAt: 1_000_000,
  baseline: { from: 0, to: 500_000 },
};
const INCIDENT = 1_500_000;

/** A trace of shop → cart → db, each call within its caller. */
function trace(id: string, at: number, ms: { shop: number; cart: number; db: number }): Span[] {
  const cart = ms.cart + ms.db;
  const span = (
    node: string,
    parentId: string | undefined,
    start: number,
    durationMs: number,
  ): Span => ({
    traceId: id,
    spanId: node,
    node,
    name: `op of ${node}`,
    start,
    durationMs,
    attributes: {},
    ...(parentId !== undefined && { parentId }),
  });
  return [
    span('shop', undefined, at, ms.shop + cart),
    span('cart', 'shop', at + ms.shop / 2, cart),
    span('db', 'cart', at + ms.shop / 2 + ms.cart / 2, ms.db),
  ];
}
const usual = { shop: 10, cart: 10, db: 20 };
const many = (name: string, at: number, ms = usual) =>
  Array.from({ length: 10 }, (_, i) => trace(`${name}${i}`, at + i * 1_000, ms)).flat();

describe('buildTraces', () => {
  test('gives each instant to the deepest span', () => {
    const [built] = buildTraces(trace('t', 0, usual), frame);
    expect(built?.spans.map(({ node, ownMs, depth }) => [node, ownMs, depth])).toEqual([
      ['shop', 10, 0],
      ['cart', 10, 1],
      ['db', 20, 2],
    ]);
    expect(built?.durationMs).toBe(40);
  });

  test('counts a span once that came twice, and takes one without its parent for a root', () => {
    const spans = trace('t', 0, usual);
    const [built] = buildTraces(
      [...spans, ...spans].filter(({ spanId }) => spanId !== 'shop'),
      frame,
    );
    expect(built?.spans.map(({ node }) => node)).toEqual(['cart', 'db']);
  });

  test('puts a span whose parent was lost below the one that encloses it', () => {
    const spans = trace('t', 0, usual).filter(({ spanId }) => spanId !== 'cart');
    const [built] = buildTraces(spans, frame);
    expect(built?.spans.map(({ node, ownMs, depth }) => [node, ownMs, depth])).toEqual([
      ['shop', 20, 0],
      ['db', 20, 1],
    ]);
  });

  test('does not put a span below its own child, however long that takes', () => {
    const [shop, cart] = trace('t', 0, usual) as [Span, Span];
    const spans = [
      { ...shop, parentId: 'lost' },
      { ...cart, start: -5, durationMs: 500 },
    ];
    expect(buildTraces(spans, frame)[0]?.spans.map(({ node }) => node)).toEqual(['shop', 'cart']);
  });

  test('ends with spans that are each their own ancestor', () => {
    const [a, b] = trace('t', 0, usual) as [Span, Span];
    expect(buildTraces([{ ...a, parentId: 'cart' }, b], frame)[0]?.spans).toEqual([]);
  });

  test('tells the phases apart', () => {
    expect([100, 700_000, INCIDENT].map((at) => phaseOf(at, frame))).toEqual([
      'baseline',
      'before',
      'incident',
    ]);
  });

  test('leaves out what was between the quiet time and the report if no time is known to be normal', () => {
    const { baseline: _, ...unknown } = frame;
    const at = (start: number, count: number) =>
      Array.from({ length: count }, (__, i) => trace(`${start}/${i}`, start, usual)).flat();
    const spans = [...at(700_000, 3), ...at(INCIDENT, 3)];
    const starts = (more: Span[]) => [
      ...new Set(buildTraces([...more, ...spans], unknown).map(({ start }) => start)),
    ];
    expect(starts(at(100_000, 50))).toEqual([100_000, INCIDENT]);
    expect(starts(at(100_000, 3))).toEqual([100_000, 700_000, INCIDENT]);
  });

  test('takes all beside the baseline for the incident if nothing was reported', () => {
    const { reportedAt: _, ...unreported } = frame;
    expect([100, 700_000].map((at) => phaseOf(at, unreported))).toEqual(['baseline', 'incident']);
  });
});

describe('latencyShares', () => {
  test('blames the node that takes the time itself', () => {
    const slow = many('i', INCIDENT, { ...usual, db: 200 });
    const [first] = latencyShares(buildTraces([...many('b', 0), ...slow], frame));
    expect(first).toMatchObject({ node: 'db', networkShare: 0 });
    expect(first?.ownShare).toBeGreaterThan(1);
  });

  test('blames neither where nothing changed', () => {
    const shares = latencyShares(buildTraces([...many('b', 0), ...many('i', INCIDENT)], frame));
    expect(shares.every(({ share }) => share === 0)).toBe(true);
  });

  /** Server spans and the calls between them: cart itself takes `ownMs`, its call of db 5 ms. */
  const instrumented = (name: string, at: number, ownMs: number, spans: Partial<Span> = {}) =>
    Array.from({ length: 10 }, (_, i) => {
      const common = { traceId: `${name}${i}`, start: at + i * 1_000, attributes: {} };
      const call = { ...common, spanId: 'c', parentId: 's', name: 'SELECT', durationMs: 5 };
      return [
        { ...common, spanId: 's', node: 'cart', name: 'GET /', durationMs: ownMs + 5, ...spans },
        { ...call, node: 'db', kind: 'client' as const },
      ];
    }).flat();

  test.each([['server' as const], [undefined]])(
    'books the own time of a span of kind %s to its node, not to the way to what it calls',
    (kind) => {
      const more = kind && { kind };
      const spans = [...instrumented('b', 0, 10, more), ...instrumented('i', INCIDENT, 900, more)];
      const [first] = latencyShares(buildTraces(spans, frame));
      expect(first).toMatchObject({ node: 'cart', networkShare: 0 });
    },
  );

  test.each([
    ['java.net.ConnectException: Connection refused', 0],
    ['deadline exceeded', 1],
  ])('counts the time of a span that failed with "%s" only if it failed for it', (error, least) => {
    const slow = instrumented('i', INCIDENT, 900).map((span) => ({ ...span, error }));
    const [first] = latencyShares(buildTraces([...instrumented('b', 0, 10), ...slow], frame));
    if (least === 0) expect(first?.share).toBe(0);
    else expect(first?.share).toBeGreaterThan(least);
  });

  test('says nothing of too few traces', () => {
    expect(latencyShares(buildTraces(trace('b', 0, usual), frame))).toEqual([]);
  });
});

describe('brokenRules', () => {
  const notes = (missing: string) => (key: string) =>
    key.startsWith('i') && key.endsWith(missing)
      ? [{ id: 'begin', error: false }]
      : [
          { id: 'begin', error: false },
          { id: 'end', error: false },
        ];

  test('finds the operation that no longer does what it always did', () => {
    const traces = buildTraces([...many('b', 0), ...many('i', INCIDENT)], frame);
    const [first] = brokenRules(traces, notes('/db'));
    expect(first).toMatchObject({
      node: 'db',
      broken: { missing: 'end' },
      incident: [10, 10],
      normal: [0, 10],
    });
    expect(first?.score).toBeGreaterThan(3);
  });

  test('blames the deepest of several broken spans', () => {
    const traces = buildTraces([...many('b', 0), ...many('i', INCIDENT)], frame);
    expect(brokenRules(traces, notes('')).map(({ node }) => node)).toEqual(['db']);
  });

  test('finds new errors, and passes over usual ones', () => {
    const fail = (spans: Span[]) =>
      spans.map((span) => (span.node === 'cart' ? { ...span, error: 'no' } : span));
    const usualError = buildTraces([...fail(many('b', 0)), ...fail(many('i', INCIDENT))], frame);
    const newError = buildTraces([...many('b', 0), ...fail(many('i', INCIDENT))], frame);
    expect(brokenRules(usualError, () => [])).toEqual([]);
    expect(brokenRules(newError, () => [])[0]).toMatchObject({
      node: 'cart',
      broken: { error: 'error status' },
    });
  });

  const without = (spans: Span[], lost: (traceId: string, node: string) => boolean) =>
    spans.filter(({ traceId, spanId }) => !lost(traceId, spanId));

  test('takes calls that are missing as often as spans are lost for lost', () => {
    // Of db, which each cart calls, two spans in ten are missing; of cart, above it, one.
    const lost = (traceId: string, node: string) =>
      (node === 'db' && /i[34]$/.test(traceId)) || (node === 'cart' && /[bi]7$/.test(traceId));
    const spans = without([...many('b', 0), ...many('i', INCIDENT)], lost);
    const found = brokenRules(buildTraces(spans, frame), () => []);
    expect(found.every(({ score }) => score < 2)).toBe(true);
  });

  test('does not let a chance violation below hide what happens always', () => {
    const spans = [...many('b', 0), ...many('i', INCIDENT)];
    const found = brokenRules(buildTraces(spans, frame), (key) =>
      (key.startsWith('i') && key.endsWith('/cart')) || key === 'i3/db'
        ? [{ id: 'begin', error: false }]
        : [
            { id: 'begin', error: false },
            { id: 'end', error: false },
          ],
    );
    expect(found[0]).toMatchObject({ node: 'cart', incident: [10, 10] });
  });
});
