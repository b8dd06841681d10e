import { describe, expect, it } from '@jest/globals';
import { sampleIn, seriesIn } from './parse-metrics.js';

describe('seriesIn', () => {
  const element = {
    metric: { __name__: 'up', job: 'api' },
    values: [
      [1.5, '1'],
      [2, 0],
    ],
  };
  const series = { name: 'up', labels: { job: 'api' }, times: [1_500, 2_000], values: [1, 0] };

  it('reads one element of a range query, and a whole answer', () => {
    expect(seriesIn(element)).toEqual([series]);
    expect(seriesIn({ status: 'success', data: { result: [element, element] } })).toEqual([
      series,
      series,
    ]);
  });

  it('reads values that are no numbers as Prometheus writes them', () => {
    const values = ['+Inf', '-Inf', 'NaN', '1e3'].map((value, at) => [at, value]);
    const [read] = seriesIn({ metric: {}, values });
    expect(read).toMatchObject({ name: '', values: [Infinity, -Infinity, NaN, 1_000] });
  });

  it.each([
    null,
    'text',
    [],
    {},
    { metric: { job: 1 }, values: [] },
    { metric: {}, values: [[0]] },
    { metric: {}, values: [['0', '1']] },
    { data: { result: 'none' } },
  ])('has no series for %j', (value) => {
    expect(seriesIn(value)).toEqual([]);
  });
});

describe('sampleIn', () => {
  it('reads a sample with and without labels', () => {
    expect(sampleIn('http_requests_total{code="500",path="/a b"} 12.5 1600000000.25')).toEqual({
      name: 'http_requests_total',
      labels: { code: '500', path: '/a b' },
      times: [1_600_000_000_250],
      values: [12.5],
    });
    expect(sampleIn('up 1 1600000000')).toMatchObject({ name: 'up', labels: {} });
  });

  it('unescapes the values of labels', () => {
    const { labels } =
      sampleIn(String.raw`m{a="say \"hi\"",b="C:\\dir",c="one\ntwo",d="}"} 1 1`) ?? {};
    expect(labels).toEqual({ a: 'say "hi"', b: 'C:\\dir', c: 'one\ntwo', d: '}' });
  });

  it.each(['', '# HELP up Whether it is up.', 'up 1', 'up{job="a" 1 1', '1up 1 1', 'up 1 soon'])(
    'has no sample for %j',
    (line) => {
      expect(sampleIn(line)).toBeUndefined();
    },
  );

  it('takes linear time for a long name that is no label', () => {
    // In quadratic time, this would take many minutes.
    expect(sampleIn(`m{${'a'.repeat(2_000_000)}} 1 1`)).toMatchObject({ labels: {} });
    expect(sampleIn(`m{${'a="'.repeat(500_000)}} 1 1`)).toBeDefined();
  });
});
