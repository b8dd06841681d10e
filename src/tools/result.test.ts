import { describe, expect, it, test } from '@jest/globals';
import type { Issue } from '../domain/diagnosis/tool-result.js';
import {
  atLeast,
  atMost,
  showBytes,
  showSpan,
  slowIssue,
  spread,
  toolResult,
  worstIssues,
} from './result.js';

const issue = (severity: Issue['severity']): Issue => ({
  severity,
  symptom: 'erroring',
  title: 'x',
  detail: '',
});

test.each<[Issue['severity'][], string]>([
  [[], 'ok'],
  [['info'], 'ok'],
  [['info', 'warning'], 'degraded'],
  [['warning', 'critical'], 'failed'],
])('the status of %j is %s', (severities, status) => {
  expect(toolResult('', {}, severities.map(issue))).toMatchObject({ status });
});

describe('many issues', () => {
  it('are cut to the worst, with the number of the others', () => {
    const many = (['info', 'warning', 'critical', 'warning'] as const).map(issue);
    const { shown, leftOff } = worstIssues(many, 2);
    expect(shown.map(({ severity, title }) => [severity, title])).toEqual([
      ['critical', 'x'],
      ['warning', 'x'],
      ['info', '2 more issues are not shown'],
    ]);
    expect(leftOff).toBe(2);
    expect(worstIssues(many, 3).shown.at(-1)?.title).toBe('one more issue is not shown');
  });

  it('are all shown where there is room for them', () => {
    expect(worstIssues([issue('info'), issue('critical')])).toEqual({
      shown: [issue('critical'), issue('info')],
      leftOff: 0,
    });
  });
});

describe('slow', () => {
  it('is what takes longer than its limit', () => {
    expect(slowIssue('answers', 1_000, 1_000, 'It took')).toEqual([]);
    expect(slowIssue('answers', 1_234.56, 1_000, 'It took')).toMatchObject([
      {
        severity: 'warning',
        symptom: 'slow',
        duration_ms: 1_234.56,
        limit_ms: 1_000,
        title: 'answers in 1235 ms, slower than 1000 ms',
      },
    ]);
  });
});

describe('near a threshold', () => {
  const nearOf = (...judged: ReturnType<typeof atMost>) =>
    toolResult('', {}, [], judged).near ?? [];

  it.each([
    [89, 0],
    [90, 1],
    [100, 1],
    [101, 0],
  ])('of 100 at most is %d: %d', (value, count) =>
    expect(nearOf(...atMost('m', value, 100))).toHaveLength(count),
  );

  it.each([
    [9, 0],
    [10, 1],
    [11, 1],
    [12, 0],
  ])('of 10 at least is %d: %d', (value, count) =>
    expect(nearOf(...atLeast('m', value, 10))).toHaveLength(count),
  );

  it('is nothing where there is no threshold', () => {
    expect(nearOf(...atMost('m', 0, 0), ...atLeast('m', 0, 0))).toEqual([]);
    expect(toolResult('', {}, [])).not.toHaveProperty('near');
  });
});

test('samples are summed up by median, least and greatest', () => {
  expect(spread([])).toBeNull();
  expect(spread([3])).toEqual({ median: 3, min: 3, max: 3 });
  expect(spread([9, 1, 2.26, 4])).toEqual({ median: 3.1, min: 1, max: 9 });
});

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_536, '1.5 KiB'],
  [2 ** 50, '1024 TiB'],
])('%d bytes are %s', (bytes, text) => expect(showBytes(bytes)).toBe(text));

test.each([
  [300_000, '5 minutes'],
  [86_400_000, '1 day'],
  [2 * 86_400_000 - 1, '1 day'],
  [3_600_000, '1 hour'],
  [999, '0 seconds'],
])('%d ms are shown as %s', (ms, text) => {
  expect(showSpan(ms)).toBe(text);
});
