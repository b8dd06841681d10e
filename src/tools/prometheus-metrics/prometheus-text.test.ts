import { expect, test } from '@jest/globals';
import { parseMetrics, parseSelector, selects } from './prometheus-text.js';

test('reads the format, its escapes, odd values and timestamps', async () => {
  const { samples, types, malformed } = await parseMetrics(
    [
      '# HELP http_requests_total The total.',
      '# TYPE http_requests_total counter',
      'http_requests_total{method="post",code="200"} 1027 1395066363000',
      'path{file="C:\\\\DIR\\\\a}b.txt",error="Cannot find\\n\\"FILE\\""} 1.458255915e9',
      'spaced  { a = "1" , b="2", }   4',
      'bare 12.47',
      'inf{le="+Inf"} +Inf',
      'negative -Inf',
      'nan NaN',
      'exemplar_bucket{le="1"} 3 # {trace="x"} 0.5',
      '',
      'broken{a="1} 3',
      'no_value',
      'hex zz',
      '<html>',
    ].join('\n'),
  );
  expect(Object.fromEntries([...samples.values()].map(({ key, value }) => [key, value]))).toEqual({
    'http_requests_total{code="200",method="post"}': 1027,
    'path{error="Cannot find\\n\\"FILE\\"",file="C:\\\\DIR\\\\a}b.txt"}': 1458255915,
    'spaced{a="1",b="2"}': 4,
    bare: 12.47,
    'inf{le="+Inf"}': Infinity,
    negative: -Infinity,
    nan: NaN,
    'exemplar_bucket{le="1"}': 3,
  });
  expect(types).toEqual(new Map([['http_requests_total', 'counter']]));
  expect(malformed).toBe(4);
});

test('a selector asks for a name and some of the labels', async () => {
  const sample = (await parseMetrics('x{a="1",b="2"} 3')).samples.get('x{a="1",b="2"}');
  if (!sample) throw new Error('not read');
  const matches = (text: string) => {
    const selector = parseSelector(text);
    return selector && selects(selector, sample);
  };
  expect(matches('x')).toBe(true);
  expect(matches('x{b="2"}')).toBe(true);
  expect(matches('x{b="3"}')).toBe(false);
  expect(matches('y')).toBe(false);
  expect(matches('x{b=2}')).toBeUndefined();
  expect(matches('x 3')).toBeUndefined();
});

test('is linear in hostile input', async () => {
  const started = performance.now();
  await parseMetrics(
    `x{${'a="\\\\'.repeat(50_000)}\n${' '.repeat(100_000)}\n${'a'.repeat(200_000)}\nx{${' '.repeat(100_000)}`,
  );
  expect(performance.now() - started).toBeLessThan(1_000);
});
