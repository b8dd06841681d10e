import fc from 'fast-check';
import { marked, type Token } from 'marked';

/**
 * Text as a probed server would write it to be rendered: images, links, HTML and what tries to end
 * or to undo an escape.
 */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          '![x](http://evil.example/p.png)',
          '[a](javascript:alert(1))',
          '[b]: http://evil.example',
        ],
        ...[
          '<img src=http://evil.example/p.png>',
          '<https://evil.example>',
          '<script>',
          '</p>',
          '<!--',
        ],
        ...[
          'http://evil.example/a_b_',
          'www.evil.example',
          'root@evil.example',
          'mailto:a@b.example',
        ],
        ...[
          '![x](y)',
          '[b]',
          '[a][b]',
          '![',
          '](',
          ')',
          '\\',
          '`',
          '``',
          '```',
          '~~~',
          '&lt;',
          '&#60;',
        ],
        ...[
          '*',
          '_',
          '**',
          '~~',
          '#',
          '>',
          '|',
          '- ',
          '1. ',
          '\n',
          '\n\n',
          '    ',
          ' ',
          ':',
          '"',
          "'",
        ],
      ),
      fc.string({ maxLength: 5 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** What shows a text as it is. */
const PLAIN = [
  'paragraph',
  'text',
  'escape',
  'space',
  'br',
  'list',
  'list_item',
  'codespan',
  'code',
];
/** The structure that a text may have without harm. */
const HARMLESS = [...PLAIN, 'heading', 'hr'];

/**
 * Returns the markup that GFM finds in a Markdown text: the types of its tokens, without those that
 * only show text.
 */
export function markupIn(markdown: string): string[] {
  const found = new Set<string>();
  const visit = (token: Token): void => {
    if (!HARMLESS.includes(token.type)) found.add(token.type);
  };
  void marked.walkTokens(marked.lexer(markdown), visit);
  return [...found];
}
