import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { boundResult, errorText } from './bound-result.js';

const fine = { status: 'ok', summary: 'fine', measurements: {}, issues: [] as unknown[] };
const issue = { severity: 'critical', symptom: 'erroring', title: 'answers 500', detail: '' };
const bound = (over: object, most?: number) => boundResult({ ...fine, ...over }, most);

describe('the result of a tool', () => {
  it('is kept as it is if it is sound', () => {
    const sound = {
      ...fine,
      status: 'failed',
      measurements: { latency_ms: 3, names: ['a'] },
      issues: [
        { ...issue, duration_ms: 4, limit_ms: 3, kind: 'latency' },
        { ...issue, intermittent: true, http_status: 502, took_ms: 0 },
        { ...issue, severity: 'warning', alert: true },
      ],
      near: [{ metric: 'm', value: 9, threshold: 10 }],
      mentions: [{ node: 'db', endpoint: 'db:1', failure: 'refused', symptom: 'unreachable' }],
      unreliable: true,
      partial: true,
      hidden: 'No right.',
      not_read: 'The rest.',
    };
    expect(boundResult(sound)).toEqual({ result: sound, truncated: false });
  });

  it.each([null, undefined, 'text', 7, {}, { issues: 'none' }])('%j is none', (returned) => {
    expect(() => boundResult(returned)).toThrow(TypeError);
  });

  it.each<[string, object, object]>([
    ['an unknown status', { status: 'great' }, { status: 'ok' }],
    ['a summary that is no text', { summary: 7 }, { summary: '' }],
    ['an unknown severity', { issues: [{ ...issue, severity: 'fatal' }] }, { issues: [] }],
    ['an unknown symptom', { issues: [{ ...issue, symptom: 'odd' }] }, { issues: [] }],
    ['an issue that is null', { issues: [null] }, { issues: [] }],
    ['an unknown kind', { issues: [{ ...issue, kind: 'odd' }] }, { issues: [issue] }],
    [
      'a duration that is no number',
      { issues: [{ ...issue, duration_ms: NaN }] },
      { issues: [issue] },
    ],
    [
      'flags of an issue that are not true',
      { issues: [{ ...issue, alert: 1, intermittent: 'yes' }] },
      { issues: [issue] },
    ],
    ['a near miss without a value', { near: [{ metric: 'm' }] }, { near: [] }],
    ['a mention of no node', { mentions: [{ node: 7 }] }, { mentions: [] }],
    ['flags that are not true', { unreliable: 1, partial: 'yes' }, {}],
    ['measurements that are a list', { measurements: [1] }, { measurements: { result: [1] } }],
  ])('is put right: %s', (_, over, expected) => {
    const { result } = bound(over);
    expect(result).toEqual({ ...fine, ...expected });
  });

  it('has values that JSON can hold', () => {
    const measurements = {
      big: 7n,
      never: undefined,
      run: () => 1,
      symbol: Symbol('x'),
      nan: NaN,
      at: new Date(0),
      wrong: new Date(NaN),
      bytes: Buffer.from('abc'),
    };
    expect(bound({ measurements }).result.measurements).toEqual({
      big: '7',
      run: null,
      symbol: null,
      nan: null,
      at: '1970-01-01T00:00:00.000Z',
      wrong: null,
      bytes: 'abc',
    });
  });

  it.each<[string, object]>([
    ['long texts', { summary: 'x'.repeat(5_000) }],
    ['many issues', { issues: Array(51).fill(issue) }],
    ['binary texts', { summary: 'a\u0000b' }],
    ['broken texts', { summary: 'a\ud800b' }],
    [
      'many fields',
      { measurements: Object.fromEntries(Array.from({ length: 9_999 }, (_, i) => [i, 'x'])) },
    ],
    ['many items', { measurements: { all: Array(99_999).fill('x') } }],
  ])('is cut and says so: %s', (_, over) => {
    const { result, truncated } = bound(over, 5_000);
    expect(truncated).toBe(true);
    expect(JSON.stringify(result).length).toBeLessThan(40_000);
  });

  it('keeps the worst issues of a result that has too many', () => {
    const notes = Array<object>(60).fill({ ...issue, severity: 'info', title: 'x'.repeat(3_000) });
    const { issues } = bound({ issues: [...notes, issue] }).result;
    expect(issues).toHaveLength(50);
    expect(issues[0]).toEqual(issue);
  });

  it('does not follow a cycle, or nesting without an end', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(bound({ measurements: cycle }).truncated).toBe(true);
  });

  it('is bounded JSON, whatever it was', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 4 }), fc.array(fc.anything()), (measurements, issues) => {
        const { result } = bound({ measurements, issues }, 2_000);
        expect(JSON.parse(JSON.stringify(result))).toEqual(result);
      }),
    );
  });
});

describe('errorText', () => {
  it.each<[string, unknown, string]>([
    ['an error', new Error('broken'), 'broken'],
    ['a text', 'broken', 'broken'],
    ['an object', { code: 7 }, '{"code":7}'],
    ['nothing', undefined, 'undefined'],
  ])('words %s', (_, thrown, text) => expect(errorText(thrown)).toBe(text));

  it('survives what cannot be worded, and cuts what is long', () => {
    const hostile = {
      toJSON: () => {
        throw new Error('no');
      },
    };
    expect(errorText(hostile)).toMatch(/^the tool threw/);
    expect(errorText(new Error('x'.repeat(9_000)))).toHaveLength(2_000);
  });
});
