const WORD = /[^\p{L}\p{N}]+/u;

/** Whether the characters of a word stand in a text in their order, with others between them. */
function isSpread(word: string, text: string): boolean {
  let at = -1;
  return [...word].every((character) => (at = text.indexOf(character, at + 1)) !== -1);
}

function scoreOfWord(word: string, texts: readonly string[]): number {
  const words = texts.flatMap((text) => text.split(WORD));
  if (words.includes(word)) return 1;
  if (words.some((each) => each.startsWith(word))) return 0.8;
  if (texts.some((text) => text.includes(word))) return 0.5;
  return isSpread(word, texts[0] ?? '') ? 0.1 : 0;
}

/**
 * How well a target fits what is typed, from 0 (not at all) to 1: by whole words, beginnings of
 * words and parts of them; last, in the first of its texts only, by scattered characters. All words
 * that are typed have to fit.
 */
export function matchScore(typed: string, texts: readonly string[]): number {
  const lower = texts.map((text) => text.toLowerCase());
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return Math.min(1, ...words.map((word) => scoreOfWord(word, lower)));
}
