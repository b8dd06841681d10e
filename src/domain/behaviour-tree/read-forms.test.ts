import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Form } from './form.js';
import { readForms, TEXT_BOUNDS } from './read-forms.js';
import { anyText } from '../../../test/support/generators/any-text.js';

function read(text: string): { forms: Form[]; faults: string[] } {
  const faults: string[] = [];
  const forms = readForms(text, ({ line, column }, message) =>
    faults.push(`${line}:${column} ${message}`),
  );
  return { forms, faults };
}

/** A form without positions: lists as arrays, keywords and symbols as themselves. */
function bare(form: Form): unknown {
  switch (form.kind) {
    case 'list':
      return form.items.map(bare);
    case 'vector':
      return { vector: form.items.map(bare) };
    case 'map':
      return { map: form.entries.map(({ key, value }) => [bare(key), bare(value)]) };
    case 'symbol':
      return { symbol: form.name };
    case 'keyword':
      return `:${form.name}`;
    case 'string':
      return `"${form.value}`;
    case 'number':
    case 'literal':
      return form.value;
  }
}

describe('parses', () => {
  it.each<[text: string, forms: unknown[]]>([
    ['', []],
    [
      'a tools.execute has-calls? x_1',
      [{ symbol: 'a' }, { symbol: 'tools.execute' }, { symbol: 'has-calls?' }, { symbol: 'x_1' }],
    ],
    [':max-iterations :user_id', [':max-iterations', ':user_id']],
    ['0 -7 +7 1.50 2e3 -1.5E-2', [0, -7, 7, 1.5, 2000, -0.015]],
    ['true false nil', [true, false, null]],
    [
      '"" "a \\"b\\" \\\\ \\n \\t \\r \\u00e9" "über\n(;) #|"',
      ['"', '"a "b" \\ \n \t \r é', '"über\n(;) #|'],
    ],
    ['()(a(b))', [[], [{ symbol: 'a' }, [{ symbol: 'b' }]]]],
    ['[1 [2]]', [{ vector: [1, { vector: [2] }] }]],
    [
      '{:a 1 :b {}}',
      [
        {
          map: [
            [':a', 1],
            [':b', { map: [] }],
          ],
        },
      ],
    ],
    ['; all of it\n1 ;; (\n2', [1, 2]],
    ['1 #| a ( " #| in it |# ; |# 2 #||# 3', [1, 2, 3]],
    ['\ufeff(a)\r\n\t(b)', [[{ symbol: 'a' }], [{ symbol: 'b' }]]],
  ])('%j', (text, forms) => {
    const found = read(text);
    expect(found.faults).toEqual([]);
    expect(found.forms.map(bare)).toEqual(forms);
  });
  it('has the position of each form', () => {
    const [list] = read('\n  (a\n "x\ny" b)').forms;
    expect(list).toMatchObject({ line: 2, column: 3 });
    expect(list?.kind === 'list' && list.items.map(({ line, column }) => [line, column])).toEqual([
      [2, 4],
      [3, 2],
      [4, 4],
    ]);
  });
});

describe('reports faults with their position', () => {
  it.each<[text: string, faults: string[]]>([
    ['(a\n (b)', ['1:1 this list is not closed: expected ")" before the end']],
    [
      '(a [b',
      [
        '1:4 this vector is not closed: expected "]" before the end',
        '1:1 this list is not closed: expected ")" before the end',
      ],
    ],
    ['a)\n b', ['1:2 unexpected ")": nothing is open here']],
    ['(a\n]', ['2:1 expected ")" to close the list that begins at line 1, column 1, not "]"']],
    ['a\n "b', [`2:2 this string is not closed: expected '"' before the end`]],
    [
      '"\\q"',
      [
        '1:2 "\\q" means nothing in a string: expected \\n, \\t, \\r, \\", \\\\ or \\u and four hexadecimal digits',
      ],
    ],
    ['1 #| 2', ['1:3 this comment is not closed: expected "|#" before the end']],
    [
      '1a',
      ['1:1 "1a" cannot be read: expected a number, a symbol, a :keyword, a string or a list'],
    ],
    [
      ': #x',
      [
        '1:1 ":" cannot be read: expected a number, a symbol, a :keyword, a string or a list',
        '1:3 "#x" cannot be read: expected a number, a symbol, a :keyword, a string or a list',
      ],
    ],
    [
      '1e999',
      ['1:1 "1e999" cannot be read: expected a number, a symbol, a :keyword, a string or a list'],
    ],
    ['{a 1}', ['1:2 expected a :keyword as the key of a map']],
    [
      '{:a 1 :a 2 :b}',
      ['1:7 :a stands twice in this map', '1:12 expected a value for this key of a map'],
    ],
  ])('%j', (text, faults) => expect(read(text).faults).toEqual(faults));

  it('including exceeded limits', () => {
    const { depth, characters } = TEXT_BOUNDS;
    expect(read('('.repeat(depth) + ')'.repeat(depth)).faults).toEqual([]);
    expect(read('('.repeat(100_000)).faults).toEqual([
      `1:${depth + 1} is nested more than ${depth} deep`,
    ]);
    expect(read(' '.repeat(characters + 1)).faults).toHaveLength(1);
  });
});

it('terminates for any text with forms or faults', () => {
  const piece = fc.constantFrom(
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '"',
    '\\',
    ';',
    '#|',
    '|#',
    '\n',
    ' ',
    ':',
    'a',
    '1',
    '?',
    'nil',
    '\u{1f600}',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece).map((pieces) => pieces.join('')),
        anyText(),
      ),
      (text) => {
        const { forms, faults } = read(text);
        if (/[^\s\ufeff]/.test(text.replace(/;.*/g, '')) && !text.includes('#|'))
          expect(forms.length + faults.length).toBeGreaterThan(0);
      },
    ),
  );
});
