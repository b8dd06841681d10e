import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { hostileText, markupIn } from '../../test/support/hostile/hostile-markdown.js';
import { codeSpan, escapeMarkdown, unescapeMarkdown } from './markdown.js';

describe('escapeMarkdown', () => {
  test.each([
    ['a_b _c_ *d* <e> & `f` [g](h)', 'a_b \\_c\\_ \\*d\\* \\<e\\> & \\`f\\` \\[g\\](h)'],
    ['# a > b -> c #3 ~5 s &lt;', '\\# a \\> b -\\> c #3 \\~5 s \\&lt;'],
    [
      'see (http://a.b/_c_), www.d.e. and f@g.h:',
      'see (`http://a.b/_c_`), `www.d.e`. and `f@g.h`:',
    ],
    ['![x](http://a/p.png)', '`![x](http://a/p.png)`'],
    ['a`http://b', '`` a`http://b ``'],
    ['0www.a.b', '`0www.a.b`'],
  ])('of %s is %s', (text, escaped) => expect(escapeMarkdown(text)).toBe(escaped));

  it('leaves no markup', () =>
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(markupIn(escapeMarkdown(text))).toEqual([]);
        expect(markupIn(`- **a ${escapeMarkdown(text)} a**`)).not.toContainEqual(
          expect.stringMatching(/link|image|html|def|table/),
        );
      }),
    ));
});

test.each([
  ['ls', '`ls`'],
  ['echo `date`', '`` echo `date` ``'],
  ['``', '``` `` ```'],
  ['a \n\n  b', '`a  b`'],
])('fences %s as %s', (text, code) => expect(codeSpan(text)).toBe(code));

describe('unescapeMarkdown', () => {
  it('gives back what was escaped', () =>
    expect(unescapeMarkdown(escapeMarkdown('a [b] *c* \\d `e` _f_ <g>'))).toBe(
      'a [b] *c* \\d `e` _f_ <g>',
    ));

  it('leaves code as it is', () => expect(unescapeMarkdown('`a\\[b` c\\[')).toBe('`a\\[b` c['));
});
