import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  allowed,
  clip,
  clipAtWord,
  editDistance,
  fitsIn,
  isAbbreviation,
  isMisspelt,
  joinSentences,
  nearest,
  quote,
} from './text.js';
import { iso } from './iso.js';
import { isJsonObject, textOf } from './json.js';
import { anyText } from '../../test/support/generators/any-text.js';

test.each([
  ['as it is', 8, 'as it is'],
  ['set the variable', 12, 'set the…'],
  ['unbroken', 5, 'unbr…'],
])('%j is cut at a word, in at most %d characters', (text, most, cut) => {
  expect(clipAtWord(text, most)).toBe(cut);
});

test.each([
  [['It is full. ', 'Free it.'], 'It is full. Free it.'],
  [['db is full', '', 'Free it'], 'db is full. Free it.'],
  [['It said: "no"', 'Why?', ' Ask!'], 'It said: "no". Why? Ask!'],
  [[], ''],
])('%j are sentences that do not run together', (texts, joined) => {
  expect(joinSentences(...texts)).toBe(joined);
});

describe('clip', () => {
  it('returns the first code points and splits no pair', () => {
    fc.assert(
      fc.property(anyText(), fc.nat(20), (text, most) => {
        const clipped = clip(text, most);
        expect([...clipped]).toEqual([...text].slice(0, most));
        expect(fitsIn(clipped, most)).toBe(true);
      }),
    );
  });

  it('counts code points, not code units', () => {
    expect([fitsIn('😀😀', 2), fitsIn('😀😀', 1), clip('😀😀', 1)]).toEqual([true, false, '😀']);
  });
});

describe('editDistance', () => {
  const word = fc.string({ maxLength: 8 });
  it('is a metric', () => {
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
      }),
    );
  });

  it('counts no further than asked', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 1, max: 5 }), (a, b, enough) =>
        expect(editDistance(a, b, enough)).toBe(Math.min(editDistance(a, b), enough)),
      ),
    );
    const near = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    fc.assert(
      fc.property(near, near, fc.integer({ min: 1, max: 5 }), (a, b, enough) =>
        expect(editDistance(a, b, enough)).toBe(Math.min(editDistance(a, b), enough)),
      ),
    );
  });

  it.each([
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
    ['nodes', 'node', 1],
  ])('from %j to %j is %i', (a, b, distance) => expect(editDistance(a, b)).toBe(distance));
});

describe('nearest', () => {
  it('suggests a name of a similar spelling in any case', () => {
    expect(nearest('NODS', ['name', 'nodes'])).toBe('nodes');
    expect(nearest('xyz', ['name', 'nodes'])).toBeUndefined();
    expect(nearest('ab', ['xy'])).toBeUndefined();
  });

  it('takes two exchanged letters for one mistake', () => {
    expect(nearest('tpc', ['tls', 'tcp'], 1)).toBe('tcp');
    expect(nearest('Endpiont', ['endpoint'], 1)).toBe('endpoint');
    expect(nearest('cpt', ['tcp'], 1)).toBeUndefined();
  });

  it('does not compare long texts or many names', () => {
    expect(nearest('n'.repeat(41), ['n'.repeat(41)])).toBeUndefined();
    expect(nearest('a', Array<string>(101).fill('a'))).toBeUndefined();
  });
});

it('lists the allowed names, with a suggestion and a bound', () => {
  expect(allowed('nods', ['id', 'nodes'])).toBe('did you mean "nodes"? allowed: id, nodes');
  expect(allowed('x', [])).toBe('none exist');
  const many = Array.from({ length: 30 }, (_, i) => `n${i}`);
  expect(allowed('zzzzzz', many)).toMatch(/n19, … \(30 in all\)$/);
  expect(quote('x'.repeat(81))).toBe(`"${'x'.repeat(80)}…"`);
});

it('formats times as ISO 8601, and null as null', () => {
  expect([iso(0), iso(null)]).toEqual(['1970-01-01T00:00:00.000Z', null]);
});

it('reads texts of JSON objects', () => {
  expect([textOf({ a: 'x', b: 1 }, 'a'), textOf({ b: 1 }, 'b'), textOf(undefined, 'a')]).toEqual([
    'x',
    '',
    '',
  ]);
  expect([isJsonObject({}), isJsonObject([]), isJsonObject(null), isJsonObject(undefined)]).toEqual(
    [true, false, false, false],
  );
});

describe('isAbbreviation', () => {
  it.each([
    ['msg', 'message'],
    ['topId', 'topologyId'],
  ])('takes %s for %s', (given, word) => expect(isAbbreviation(given, word)).toBe(true));

  it.each([
    ['me', 'message'],
    ['sage', 'message'],
    ['mgs', 'message'],
    ['message', 'message'],
    ['messages', 'message'],
  ])('does not take %s for %s', (given, word) => expect(isAbbreviation(given, word)).toBe(false));
});

describe('isMisspelt', () => {
  it.each([
    ['brokn', 'broken'],
    ['wrogn', 'wrong'],
    ['lsit', 'list'],
    ['evidance', 'evidence'],
    ['topologeis', 'topologies'],
  ])('takes %s for %s', (given, word) => expect(isMisspelt(given, word)).toBe(true));

  it.each([
    ['list', 'list'],
    ['loss', 'logs'],
    ['lst', 'list'],
    ['order', 'others'],
    ['x'.repeat(61), 'x'.repeat(60)],
  ])('takes %s for another word than %s', (given, word) =>
    expect(isMisspelt(given, word)).toBe(false),
  );
});
