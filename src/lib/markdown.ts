/**
 * Text that a parser links without any markup: a URL, `www.` (some also within a word) or an e-mail
 * address (GFM section 6.9).
 */
const ADDRESS = /:\/\/|www\.|[\w.+-]@[\w.-]|\b(?:mailto|xmpp):/i;
/**
 * Text that a parser may read as markup, within a word. Lists and lines are left: they show the
 * same text.
 */
const MARKUP = /[\\`*[\]<>|~]|^#(?=#*$)|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** Characters that `ADDRESS` and `MARKUP` need. Most texts have none of them. */
const SPECIAL = /[\\`*[\]<>|~#&_@]|:\/\/|www\.|(?:mailto|xmpp):/i;
const LINE_ENDS = /[\r\n]\s*/g;
const PUNCTUATION = '[!-/:-@[-`{-~]';
const CODE_OR_ESCAPE = new RegExp(`\`[^\`]*\`|\\\\(${PUNCTUATION})`, 'g');

/**
 * Plain text as Markdown that shows the same text: no image, link, HTML or other markup (CommonMark
 * section 2.4). A word with an address in it becomes code, because GFM links an address also if it
 * is escaped. White space stays as it is.
 */
export const escapeMarkdown = (text: string): string =>
  SPECIAL.test(text)
    ? text.replace(/\S+/g, (word) => (ADDRESS.test(word) ? codeWord(word) : escapeWord(word)))
    : text;

const escapeWord = (word: string): string => word.replace(MARKUP, '\\$&');

/** A word as code, without a following full stop and surrounding brackets or quotes. */
function codeWord(word: string): string {
  let from = 0;
  let to = word.length;
  while (from < to && `("'`.includes(word.charAt(from))) from++;
  const ends = from > 0 ? `)"'.,;:!?` : '.,;:!?';
  while (from < to && ends.includes(word.charAt(to - 1))) to--;
  return `${word.slice(0, from)}${codeSpan(word.slice(from, to))}${word.slice(to)}`;
}

/**
 * Code in a fence that is longer than any run of ticks in it, on one line: a blank line would end
 * it (CommonMark section 6.1).
 */
export function codeSpan(code: string): string {
  const text = code.replace(LINE_ENDS, ' ');
  const runs = [...text.matchAll(/`+/g)].map(([ticks]) => ticks.length);
  const fence = '`'.repeat(Math.max(0, ...runs) + 1);
  return runs.length > 0 ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

/** Markdown for a place that shows it as plain text: without the escapes. */
export const unescapeMarkdown = (text: string): string =>
  text.replace(CODE_OR_ESCAPE, (whole, escaped?: string) => escaped ?? whole);

/** The text that is shown, whether it is Markdown or plain. */
const plainly = (text: string): string => unescapeMarkdown(text).replaceAll('`', '');

/**
 * Returns the rest of a Markdown text, from its first sentence that was not said, in Markdown or
 * without its marks.
 */
export function unsaid(said: string, markdown: string): string {
  const known = plainly(said);
  let rest = markdown;
  for (;;) {
    const [whole = '', sentence = ''] = /^\s*(.*?[.!?])(?=\s|$)/s.exec(rest) ?? [];
    if (sentence === '' || !known.includes(plainly(sentence))) return rest;
    rest = rest.slice(whole.length);
  }
}
