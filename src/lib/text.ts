/**
 * Whether a text has at most `most` code points (contract section 3). Counts them only if
 * necessary.
 */
export function fitsIn(text: string, most: number): boolean {
  return text.length <= most || (text.length <= 2 * most && [...text].length <= most);
}

/** The first `most` code points of a text. Does not split a surrogate pair. */
export function clip(text: string, most: number): string {
  return fitsIn(text, most) ? text : [...text.slice(0, 2 * most)].slice(0, most).join('');
}

/** A text of at most `most` code points, which ends at a word and with "…" if it is cut. */
export function clipAtWord(text: string, most: number): string {
  if (fitsIn(text, most)) return text;
  const start = clip(text, most - 1);
  // A text without spaces is cut anywhere.
  return `${/^(.*\S)\s+\S*$/s.exec(start)?.[1] ?? start}…`;
}

const SHOWN = 80;
const LISTED = 20;

/** Quotes a name for a message and shortens a long one. */
export function quote(name: string): string {
  return `"${fitsIn(name, SHOWN) ? name : `${clip(name, SHOWN)}…`}"`;
}

/** Lists the allowed names with a suggestion: `did you mean "nodes"? allowed: id, name, nodes`. */
export function allowed(given: string, names: readonly string[]): string {
  if (names.length === 0) return 'none exist';
  const near = nearest(given, names);
  const rest = names.length > LISTED ? `, … (${names.length} in all)` : '';
  const list = names.slice(0, LISTED).map((name) => (fitsIn(name, SHOWN) ? name : quote(name)));
  return `${near === undefined ? '' : `did you mean ${quote(near)}? `}allowed: ${list.join(', ')}${rest}`;
}

/**
 * The allowed name with the smallest case-insensitive edit distance; two neighbours that are
 * exchanged count as one edit.
 * @param most the largest distance; at most three, and at most half of the name by default
 */
export function nearest(
  given: string,
  names: readonly string[],
  most = Math.min(3, Math.ceil(given.length / 2)),
): string | undefined {
  if (given.length > 40 || names.length > 100) return undefined;
  let best: string | undefined;
  let least = most + 1;
  for (const name of names) {
    if (Math.abs(name.length - given.length) >= least) continue;
    const a = given.toLowerCase();
    const b = name.toLowerCase();
    const distance = hasSwapped(a, b) ? 1 : editDistance(a, b, least);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/**
 * Whether a word is another one with one letter (two of eight and more) wrong, missing or too many,
 * or with two neighbours exchanged.
 */
export function isMisspelt(given: string, word: string): boolean {
  const most = word.length >= 8 ? 2 : 1;
  if (given === word || given.length < 4 || given.length > 60) return false;
  if (Math.abs(given.length - word.length) > most) return false;
  // Another letter in a short word makes another word.
  const isShort = given.length === word.length && word.length < 5;
  return hasSwapped(given, word) || (!isShort && editDistance(given, word, most + 1) <= most);
}

/**
 * Whether a word is a shorter form of another one, with its first letter and others of it in their
 * order, such as `msg`.
 */
export function isAbbreviation(given: string, word: string): boolean {
  if (given.length < 3 || given.length >= word.length || given[0] !== word[0]) return false;
  let at = 0;
  for (const letter of word) if (letter === given[at]) at++;
  return at === given.length;
}

/** Whether a word is another one with two neighbours exchanged. */
export function hasSwapped(given: string, word: string): boolean {
  const at = [...given].findIndex((letter, i) => letter !== word[i]);
  return (
    given.length === word.length &&
    given[at] === word[at + 1] &&
    given[at + 1] === word[at] &&
    given.slice(at + 2) === word.slice(at + 2)
  );
}

/**
 * Levenshtein distance, one row at a time: O(a·b) time, O(b) space.
 * @param enough returned for any distance that is not less; then O(a·enough) time
 */
export function editDistance(a: string, b: string, enough = Infinity): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    let least = i;
    // Cells that are further from the diagonal hold greater distances.
    const last = Math.min(b.length, i + enough - 1);
    for (let j = Math.max(1, i - enough + 1); j <= last; j++) {
      const replace = (row[j - 1] ?? enough) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const distance = Math.min(replace, (row[j] ?? enough) + 1, (next[j - 1] ?? enough) + 1);
      next[j] = distance;
      least = Math.min(least, distance);
    }
    if (least >= enough) return enough;
    row = next;
  }
  return Math.min(row[b.length] ?? enough, enough);
}

/** A text as a pattern that matches it alone. */
export const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Joins texts as sentences: a text without a final punctuation mark gets one, empty ones are
 * omitted.
 */
export const joinSentences = (...texts: readonly string[]): string =>
  texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => (/[.!?…:]$/.test(text) ? text : `${text}.`))
    .join(' ');
