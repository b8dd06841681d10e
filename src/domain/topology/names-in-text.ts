import { escapePattern, isMisspelt } from '../../lib/text.js';

/** A topology by its names, and its nodes by theirs. */
interface Named<Node> {
  name: string;
  nodes: readonly Node[];
}

const LONG_WORDS = /[\p{L}\p{N}_.-]{3,}/gu;

/** Whether a text contains a name as whole words. @param text in lower case */
export function mentions(text: string, name: string): boolean {
  const words = name.trim().toLowerCase();
  return words !== '' && wordsOf(words).test(text);
}

/** Removes a name from a text. */
export const without = (text: string, name: string): string =>
  mentions(text, name) ? text.replace(wordsOf(name.trim().toLowerCase()), ' , ') : text;

/** Matches a name as people write it: "orders db" for `orders-db`. */
function wordsOf(name: string): RegExp {
  const escaped = escapePattern(name).replace(/[\s_-]+/g, '[\\s_-]+');
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${escaped}(?![\\p{L}\\p{N}_-])`, 'u');
}

/**
 * Returns the nodes of a topology that a text names. The longest match wins, including the name of the topology itself.
 * @param text in lower case
 */
export function nodesIn<Node extends { id: string; name: string }>(
  text: string,
  shape: Named<Node> | undefined,
): Node[] {
  if (!shape) return [];
  const own = shape.name.toLowerCase();
  const names = [own, ...shape.nodes.flatMap(({ id, name }) => [name, id])].map((name) =>
    name.toLowerCase(),
  );
  const found = new Set<string>();
  let rest = text;
  for (const name of names.sort((a, b) => b.length - a.length)) {
    if (!mentions(rest, name)) continue;
    rest = without(rest, name);
    if (name !== own) found.add(name);
  }
  return shape.nodes.filter(
    ({ id, name }) => found.has(id.toLowerCase()) || found.has(name.toLowerCase()),
  );
}

/** Returns the names in a text: of a topology, of its nodes, and words of the topology's name. @param text in lower case */
export function namesIn(text: string, shape: Named<{ id: string; name: string }>): string[] {
  const own = shape.name.toLowerCase();
  const named = nodesIn(text, shape).flatMap(({ id, name }) => [id, name]);
  const words = text.match(LONG_WORDS) ?? [];
  return [
    ...named.filter((name) => mentions(text, name)),
    ...(mentions(text, own) ? [shape.name] : []),
    ...words.filter((word) => mentions(own, word)),
  ];
}

/**
 * Returns the names of a topology and of its nodes that a misspelt one is close to; without such names, those of the nodes with
 * this kind, and those of which it is a word, or close to one.
 * @param given in lower case
 */
export function namesLike(
  given: string,
  { name, nodes }: Named<{ id: string; name: string; kind: string }>,
): string[] {
  const isLike = (text: string) => text === given || isMisspelt(given, text);
  const whole = [name, ...nodes.flatMap((node) => [node.id, node.name])].filter((each) =>
    isMisspelt(given, each.toLowerCase()),
  );
  if (whole.length > 0) return whole;
  return nodes
    .filter(
      (node) =>
        node.kind.toLowerCase() === given ||
        (node.name.toLowerCase().match(LONG_WORDS) ?? []).some(
          (word) => isLike(word) || `${word}s` === given,
        ),
    )
    .map((node) => node.name);
}

/** Whether a text names a topology, a node of it, or a word of the topology's name. @param text in lower case */
export const names = (text: string, shape: Named<{ id: string; name: string }>): boolean =>
  namesIn(text, shape).length > 0;
