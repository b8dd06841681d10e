import { expect, test } from '@jest/globals';
import { codeSpan, escapeMarkdown } from './markdown.js';

test('escapes what would be markup', () =>
  expect(escapeMarkdown('a_b *c* <d> & `e` [f](g)')).toBe(
    'a\\_b \\*c\\* \\<d\\> &amp; \\`e\\` \\[f\\](g)',
  ));

test.each([
  ['ls', '`ls`'],
  ['echo `date`', '`` echo `date` ``'],
  ['``', '``` `` ```'],
])('fences %s as %s', (text, code) => expect(codeSpan(text)).toBe(code));
