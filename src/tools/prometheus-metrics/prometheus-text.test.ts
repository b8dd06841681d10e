import { expect, test } from '@jest/globals';
import { processorMsOf } from '../../../test/support/processes/processor-time.js';
import { parseSelector, selects } from './prometheus-line.js';
import { METRICS_BOUNDS, parseMetrics } from './prometheus-text.js';

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

test.each([
  ['spaces where a comma may be', `a{${' '.repeat(30_000)}x`],
  ['spaces behind a label', `a{b="1"${' '.repeat(16_000)}x`],
  ['backslashes', `x{${'a="\\\\'.repeat(3_000)}`],
  ['a label that never ends', `x{a="${'\\"'.repeat(8_000)}`],
  ['a name that never ends', 'a'.repeat(200_000)],
  ['nothing but spaces', ' '.repeat(200_000)],
])('H2: reads a line of %s in linear time', async (_, line) => {
  const took = await processorMsOf(async () => {
    const { samples } = await parseMetrics(`${line}\n`.repeat(20));
    expect(samples.size).toBe(0);
  });
  // What is not linear takes seconds for a single line.
  expect(took).toBeLessThan(1_000);
});

test('lets other work have its turn while it reads 2 MiB', async () => {
  const text = 'x{a="1",b="2"} 3\n'.repeat(120_000);
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await parseMetrics(text);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test('refuses lines and labels beyond their bounds', async () => {
  const labels = (count: number) => Array.from({ length: count }, (_, i) => `l${i}="x"`).join(',');
  const { samples, malformed } = await parseMetrics(
    `ok{${labels(64)}} 1\nmany{${labels(65)}} 1\nlong{a="${'x'.repeat(METRICS_BOUNDS.line)}"} 1`,
  );
  expect([...samples.values()].map(({ name }) => name)).toEqual(['ok']);
  expect(malformed).toBe(2);
});

test('keeps no more text and types of a page than its bounds, however few series it has', async () => {
  const long = Array.from({ length: 100 }, (_, i) => `a{i="${i}",x="${'y'.repeat(10_000)}"} 1`);
  const { samples, leftOut } = await parseMetrics(long.join('\n'));
  const lines = [...samples.keys()];
  expect(lines.join('').length).toBeLessThanOrEqual(METRICS_BOUNDS.keptText);
  expect(leftOut.shown).toBe(100 - lines.length);
  const typed = Array.from({ length: 6_000 }, (_, i) => `# TYPE m${i} ${'t'.repeat(50)}`);
  const { types } = await parseMetrics([...typed, `# TYPE ${'n'.repeat(201)} gauge`].join('\n'));
  expect(types.size).toBe(METRICS_BOUNDS.types);
  expect(types.get('m0')).toBe('t'.repeat(20));
  expect(METRICS_BOUNDS).toEqual({ line: 16_384, kept: 5_000, keptText: 524_288, types: 5_000 });
});

test('keeps only what is wanted, up to its bounds, and counts the rest', async () => {
  const lines = Array.from({ length: 6_000 }, (_, i) => `a{i="${i}"} 1\nb{i="${i}"} 1`).join('\n');
  const all = await parseMetrics(lines);
  expect(all).toMatchObject({
    series: 12_000,
    leftOut: { judged: 0, shown: 12_000 - METRICS_BOUNDS.kept },
  });
  const some = await parseMetrics(lines, (name) => (name === 'c' ? 'judged' : undefined));
  expect(some).toMatchObject({ series: 12_000, leftOut: { judged: 0, shown: 0 } });
  expect(some.samples.size).toBe(0);
  const both = await parseMetrics(lines, (name) => (name === 'b' ? 'judged' : 'shown'));
  const left = 6_000 - METRICS_BOUNDS.kept;
  expect(both.leftOut).toEqual({ judged: left, shown: left });
});
