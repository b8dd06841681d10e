import { describe, expect, it } from '@jest/globals';
import { spansIn } from './parse-traces.js';

const requestOf = (...spans: object[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
      scopeSpans: [{ spans }],
    },
  ],
});
const span = {
  traceId: 't',
  spanId: 's',
  name: 'GET /',
  startTimeUnixNano: '1767225600000001500',
  endTimeUnixNano: '1767225600020001500',
};

describe('an OTLP request', () => {
  it('has times with a precision of a microsecond', () => {
    const [read] = spansIn(requestOf(span));
    expect(read?.labels).toEqual({ 'service.name': 'shop' });
    expect(read?.span).toMatchObject({ traceId: 't', spanId: 's', name: 'GET /', attributes: {} });
    expect(read?.span.start).toBeCloseTo(1_767_225_600_000.001, 3);
    expect(read?.span.durationMs).toBeCloseTo(20, 2);
    expect(read?.span).not.toHaveProperty('parentId');
    expect(read?.span).not.toHaveProperty('error');
  });

  it.each([
    [{ code: 2, message: 'refused' }, 'refused'],
    [{ code: 'STATUS_CODE_ERROR' }, ''],
    [{ code: 1, message: 'fine' }, undefined],
    [{}, undefined],
  ])('with the status %j has the error %j', (status, error) => {
    expect(spansIn(requestOf({ ...span, status }))[0]?.span.error).toBe(error);
  });

  it('has no parent where the id is empty or null', () => {
    const spans = ['', null, 'p'].map((parentSpanId) => ({ ...span, parentSpanId }));
    expect(spansIn(requestOf(...spans)).map((each) => each.span.parentId)).toEqual([
      undefined,
      undefined,
      'p',
    ]);
  });

  it.each([
    [3, 'client'],
    ['SPAN_KIND_SERVER', 'server'],
    [1, 'internal'],
    [0, undefined],
    [undefined, undefined],
  ])('with the kind %j has the kind %j', (kind, expected) => {
    expect(spansIn(requestOf({ ...span, kind }))[0]?.span.kind).toBe(expected);
  });

  it('has no negative duration', () => {
    const endTimeUnixNano = '1767225599000000000';
    expect(spansIn(requestOf({ ...span, endTimeUnixNano }))[0]?.span.durationMs).toBe(0);
  });
});

describe('an answer of Jaeger', () => {
  const answerOf = (more: object) => ({
    data: [
      {
        traceID: 't',
        processes: { p1: { serviceName: 'cart', tags: [{ key: 'host', value: 'h' }] } },
        spans: [
          {
            spanID: 's',
            operationName: 'op',
            processID: 'p1',
            startTime: 1_000,
            duration: 2_500,
            ...more,
          },
        ],
      },
    ],
  });
  const first = (more: object) => spansIn(answerOf(more))[0];

  it('has times in microseconds and the name of its process', () => {
    expect(first({})).toEqual({
      labels: { host: 'h', 'service.name': 'cart' },
      span: {
        traceId: 't',
        spanId: 's',
        name: 'op',
        start: 1,
        durationMs: 2.5,
        attributes: {},
      },
    });
  });

  it('has the parent of which it is a child, not one that it follows', () => {
    const references = [
      { refType: 'FOLLOWS_FROM', spanID: 'x' },
      { refType: 'CHILD_OF', spanID: 'p' },
    ];
    expect(first({ references })?.span.parentId).toBe('p');
  });

  it('has an error by its tag or by the status of OpenTelemetry', () => {
    const tags = (...entries: [string, unknown][]) => ({
      tags: entries.map(([key, value]) => ({ key, value })),
    });
    expect(first(tags(['error', true]))?.span.error).toBe('');
    expect(first(tags(['error', false]))?.span.error).toBeUndefined();
    expect(
      first(tags(['otel.status_code', 'ERROR'], ['otel.status_description', 'timeout']))?.span
        .error,
    ).toBe('timeout');
  });

  it('has no service if its process is missing', () => {
    expect(first({ processID: '__proto__' })?.labels).toEqual({ 'service.name': '' });
  });
});

it.each([null, 'text', [], {}, { data: [{ traceID: 't' }] }, requestOf({ traceId: 't' })])(
  'has no spans for %j',
  (value) => {
    expect(spansIn(value)).toEqual([]);
  },
);
