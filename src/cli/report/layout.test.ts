import { describe, expect, it } from '@jest/globals';
import { count, duration, oneLine, printableJson, shorten, wrap } from './layout.js';
import { ansi, paintFor, plain } from './paint.js';
import { wrongOption } from '../wrong-option.js';

describe('text of foreign origin', () => {
  it('becomes one line without control characters', () =>
    expect(oneLine(' a\u001b[2J\tb\r\n\u202ec\u0000 ')).toBe('a [2J b c'));

  it('is escaped in JSON', () => {
    const text = printableJson({ a: '\u202e\u009b' });
    expect(text).toBe('{\n  "a": "\\u202e\\u009b"\n}');
    expect(JSON.parse(text)).toEqual({ a: '\u202e\u009b' });
  });
});

describe('lines', () => {
  it('are cut with an ellipsis, by code points', () => {
    expect(shorten('abc', 3)).toBe('abc');
    expect(shorten('abcd', 3)).toBe('ab…');
    expect(shorten('😀😀😀', 2)).toBe('😀…');
  });

  it('break at white space, and long words anywhere', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('abcdefgh ij', 3)).toEqual(['abc', 'def', 'gh', 'ij']);
    expect(wrap('', 5)).toEqual([]);
  });

  it('are at most so many', () => {
    expect(wrap('one two three four', 5, 2)).toEqual(['one', 'two …']);
  });
});

it.each([
  [0.4, '0 ms'],
  [999.4, '999 ms'],
  [1_600, '1.6 s'],
  [59_949, '59.9 s'],
  [125_000, '2 min 5 s'],
])('writes %d ms as %s', (ms, text) => expect(duration(ms)).toBe(text));

it('counts nouns', () =>
  expect([count(1, 'node'), count(0, 'node'), count(1_200, 'node')]).toEqual([
    '1 node',
    '0 nodes',
    '1,200 nodes',
  ]));

it.each([
  [{ isTTY: true }, {}, ansi],
  [{ isTTY: true }, { NO_COLOR: '1' }, plain],
  [{ isTTY: true }, { TERM: 'dumb' }, plain],
  [{}, {}, plain],
  [{}, { FORCE_COLOR: '1' }, ansi],
  [{ isTTY: true }, { FORCE_COLOR: '0', NO_COLOR: '' }, ansi],
])('chooses colours: %#', (stream, env, paint) => expect(paintFor(stream, env)).toBe(paint));

describe('wrongOption', () => {
  const error = (code: string, message: string) => Object.assign(new Error(message), { code });
  const options = { json: {}, server: {} };

  it.each([
    [
      error('ERR_PARSE_ARGS_UNKNOWN_OPTION', "Unknown option '--jsn'"),
      'There is no option "--jsn": did you mean "--json"? allowed: --json, --server.',
    ],
    [
      error('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', "Option '--server <value>' argument missing"),
      '--server needs a value.',
    ],
    [
      error(
        'ERR_PARSE_ARGS_INVALID_OPTION_VALUE',
        "Option '--server <value>' argument is ambiguous.\nDid you forget to specify it?",
      ),
      '--server needs a value; one that begins with a dash is given as --server=VALUE.',
    ],
    [
      error('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', "Option '-q, --json' does not take an argument"),
      '--json takes no value.',
    ],
  ])('explains %s', (given, message) =>
    expect((wrongOption(given, options) as Error).message).toBe(message),
  );

  it('leaves other errors', () => {
    const other = new Error('x');
    expect(wrongOption(other, options)).toBe(other);
  });
});
