import { describe, expect, it } from '@jest/globals';
import { errorText, readableText, resultText } from './result-text.js';

it('keeps a string and writes anything else as JSON', () => {
  expect(resultText('as it is')).toBe('as it is');
  expect(resultText({ a: [1, null] })).toBe('{"a":[1,null]}');
});

it.each([
  [{ error: 'refused', message: 'x' }, 'refused'],
  [{ message: 'gone' }, 'gone'],
  ['late', 'late'],
  [{ error: '' }, 'The tool failed without saying why.'],
  [[], 'The tool failed without saying why.'],
  [null, 'The tool failed without saying why.'],
])('reads the error in %j', (result, text) => expect(errorText(result)).toBe(text));

describe('readableText', () => {
  it.each([
    [{ summary: 'All is well.', nodes: [] }, 'All is well.'],
    [{ run_id: 'r7', ok: true, note: null }, 'run id: r7\nok: true'],
    [{ runs: [{ run_id: 'r1' }, { run_id: 'r2' }] }, 'runs: 2 (r1, r2)'],
    [{ nodes: [] }, 'nodes: none'],
    [{ node: { id: 'a', name: 'API' }, more: { x: 1, y: 2 } }, 'node: API\nmore: 2 entries'],
    [[{ title: 'One' }, {}, [3]], '3 (One, …, …)'],
    [3, '3'],
  ])('shows %j in short', (result, text) => expect(readableText(result)).toBe(text));

  it('keeps an action for the page', () =>
    expect(readableText({ action: 'navigate', page: 'runs' })).toBe(
      '{"action":"navigate","page":"runs"}',
    ));

  it.each([
    ['connection refused (ECONNREFUSED)', 'connection refused'],
    ['refused (a) by (b and c)', 'refused (a) by'],
    ['0 warnings, 1 critical issue', '0 warnings, 1'],
    ['a sentence. Another', 'a sentence'],
  ])('cuts after a word, without open brackets and commas: %s', (end, cut) => {
    const start = 'x'.repeat(120 - end.length + 5);
    expect(readableText([{ name: `${start} ${end}` }])).toBe(`1 (${start} ${cut}…)`);
  });

  it('bounds what it shows', () => {
    const long = readableText({ text: 'x'.repeat(2_000) });
    expect([...long]).toHaveLength(500);
    expect(long.endsWith('…')).toBe(true);
    const many = Array.from({ length: 20 }, (_, i) => ({ id: i }));
    expect(readableText({ many })).toBe('many: 20 (0, 1, 2, 3, 4, 5, 6, 7, and 12 more)');
    const wide = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, i]));
    expect(readableText(wide).split('\n')).toHaveLength(8);
  });
});
