import { describe, expect, it } from '@jest/globals';
import { logsIn, patternIn, podLogIn } from './parse-logs.js';

const AT = Date.parse('2026-01-01T00:00:01Z');

describe('logsIn', () => {
  it('joins the labels of the resource and of the record', () => {
    const line = {
      timestamp: '2026-01-01T00:00:01Z',
      body: 'no route',
      resource: { 'service.name': 'shop', port: 80 },
      attributes: { port: 81, nested: { a: 1 } },
      trace_id: '',
    };
    expect(logsIn(line)).toEqual([
      {
        at: AT,
        severity: '',
        body: 'no route',
        labels: { 'service.name': 'shop', port: '81', nested: '{"a":1}' },
      },
    ]);
  });

  it.each([
    [{ level: 'warn' }, 'warn'],
    [{ detected_level: 'error' }, 'error'],
    [{}, ''],
  ])('takes the severity of a line of Loki from its labels %j', (labels, severity) => {
    const line = { labels, line: 'x', timestamp: '2026-01-01T00:00:01.000000001Z' };
    expect(logsIn(line)).toMatchObject([{ at: AT, severity }]);
  });

  const request = (...logRecords: object[]) => ({
    resourceLogs: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
        scopeLogs: [{ logRecords }],
      },
    ],
  });

  it('reads an OTLP request, whose body may have any type', () => {
    const timeUnixNano = `${AT}000000`;
    const records = logsIn(
      request(
        { timeUnixNano, severityText: 'ERROR', body: { stringValue: 'a' }, traceId: 't' },
        { timeUnixNano, body: { intValue: '7' } },
        { timeUnixNano, body: { kvlistValue: { values: [] } } },
        { timeUnixNano },
      ),
    );
    expect(records.map(({ body }) => body)).toEqual(['a', '7', '{"values":[]}', '']);
    expect(records[0]).toEqual({
      at: AT,
      severity: 'ERROR',
      body: 'a',
      labels: { 'service.name': 'shop' },
      traceId: 't',
    });
  });

  it.each([
    [{ severityNumber: 17 }, 'ERROR'],
    [{ severityNumber: 13 }, 'WARN'],
    [{ severityNumber: 21 }, 'FATAL'],
    [{ severityNumber: 9 }, ''],
    [{ severityNumber: 17, severityText: 'E' }, 'E'],
  ])('takes the severity of OTLP from %j', (severity, expected) => {
    const record = { timeUnixNano: `${AT}000000`, body: { stringValue: 'a' }, ...severity };
    expect(logsIn(request(record))[0]?.severity).toBe(expected);
  });

  it('takes the time of observation if the time of the event is unknown', () => {
    const observedTimeUnixNano = `${AT}000000`;
    const records = logsIn(
      request(
        { observedTimeUnixNano },
        { timeUnixNano: '0', observedTimeUnixNano },
        { timeUnixNano: 0, observedTimeUnixNano },
        { timeUnixNano: '0' },
        {},
      ),
    );
    expect(records.map(({ at }) => at)).toEqual([AT, AT, AT]);
  });

  it('keeps the record of an attribute that is nested deeper than it can be written', () => {
    const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    const line = { timestamp: '2026-01-01T00:00:01Z', body: 'x', attributes: { deep, near: 1 } };
    expect(logsIn(line)).toMatchObject([{ body: 'x', labels: { deep: '', near: '1' } }]);
  });

  it('cuts a body to 16 kB', () => {
    const [record] = logsIn({ timestamp: '2026-01-01', body: 'x'.repeat(20_000) });
    expect(record?.body).toHaveLength(16_384);
  });

  it.each([null, 7, [], {}, { timestamp: 'soon', body: 'x' }, { timestamp: '2026-01-01' }])(
    'has no record for %j',
    (value) => {
      expect(logsIn(value)).toEqual([]);
    },
  );
});

describe('podLogIn', () => {
  it('reads the time, the text and the first severity that it names', () => {
    expect(podLogIn('2026-01-01T00:00:01Z level=warning msg="an error"', 'shop-1')).toEqual({
      at: AT,
      severity: 'warning',
      body: 'level=warning msg="an error"',
      labels: { 'k8s.pod.name': 'shop-1' },
    });
  });

  it('does not take a part of a word for a severity', () => {
    expect(podLogIn('2026-01-01T00:00:01Z warned about terrors', 'p')?.severity).toBe('');
  });

  it.each(['', 'no time', '2026-01-01T00:00:01Z', '2026-99-99T00:00:01Z text'])(
    'has no record for %j',
    (line) => {
      expect(podLogIn(line, 'p')).toBeUndefined();
    },
  );
});

describe('patternIn', () => {
  it('has no change in its number by default', () => {
    expect(patternIn({ pattern: 'x <*>', count: 3 })).toEqual({
      pattern: 'x <*>',
      count: 3,
      delta: 0,
      labels: {},
    });
  });

  it.each([null, { pattern: 'x' }, { pattern: 'x'.repeat(20_000), count: 1 }])(
    'refuses %#',
    (value) => {
      expect(patternIn(value)).toBeUndefined();
    },
  );
});
