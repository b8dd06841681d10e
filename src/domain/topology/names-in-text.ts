import { escapePattern, isMisspelt } from '../../lib/text.js';

/** A topology by its names, and its nodes by theirs. */
interface TopologyNames<Node> {
  name: string;
  nodes: readonly Node[];
}

const LONG_WORDS = /[\p{L}\p{N}_.-]{3,}/gu;
/** The words of a name, also a short one such as "DB". */
const WORDS = /[\p{L}\p{N}_.-]{2,}/gu;

/** Whether a text contains a name as whole words. @param text in lower case */
export function mentions(text: string, name: string): boolean {
  const words = name.trim().toLowerCase();
  return words !== '' && wordsOf(words).test(text);
}

/** Removes a name from a text. */
const without = (text: string, name: string): string =>
  mentions(text, name) ? text.replace(wordsOf(name.trim().toLowerCase()), ' , ') : text;

/** Matches a name as people write it: "orders db" for `orders-db`. */
function wordsOf(name: string): RegExp {
  const escaped = escapePattern(name).replace(/[\s_-]+/g, '[\\s_-]+');
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${escaped}(?![\\p{L}\\p{N}_-])`, 'u');
}

/**
 * Returns the nodes of a topology that a text names. The longest match wins, including the name of
 * the topology itself.
 * @param text in lower case
 */
export function nodesIn<Node extends { id: string; name: string }>(
  text: string,
  shape: TopologyNames<Node> | undefined,
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

/**
 * Returns the names in a text: of a topology, of its nodes, and words of the topology's name.
 * @param text in lower case
 */
export function namesIn(
  text: string,
  shape: TopologyNames<{ id: string; name: string }>,
): string[] {
  const own = shape.name.toLowerCase();
  const named = nodesIn(text, shape).flatMap(({ id, name }) => [id, name]);
  const words = text.match(LONG_WORDS) ?? [];
  return [
    ...named.filter((name) => mentions(text, name)),
    ...(mentions(text, own) ? [shape.name] : []),
    ...words.filter((word) => mentions(own, word)),
  ];
}

/** A topology with the names that a text has of it, as {@link namesIn} returns them. */
export interface TopologyMention {
  name: string;
  named: readonly string[];
}

/** The word that replaces a name that was removed from a text. */
export const HIDDEN = 'somename';

/**
 * Text before a name, such as a quotation mark: without it, a name that is also a word may be meant
 * as the word.
 */
const BEFORE_NAME =
  '(?:(?:^\\W*(?:is|are|was|were)|(?<![\\p{L}\\p{N}_-])(?:the|our|my|its|node|service|topology|of|with|on|about|and|(?:re-?)?diagnose|investigate|troubleshoot|check|probe|ping|examine|inspect|analy[sz]e|scan|test|measure|verify|look (?:at|into)))\\s+|["`“])';

/**
 * Matches a name where it stands as one in a text.
 * @param isWord whether a name may be meant as a word
 */
function standing(name: string, isWord: (name: string) => boolean): RegExp {
  const words = name.trim().toLowerCase();
  const isOne = /^[\p{L}\p{N}]+$/u.test(words);
  const before = isOne && isWord(words) ? `(?<=${BEFORE_NAME})` : '';
  return new RegExp(`${before}${wordsOf(words).source}`, 'gu');
}

const isPartOf = (name: string, given: string): boolean =>
  given.length < name.length && mentions(name.toLowerCase(), given);

/** Whether a text names a topology as the location of something else. */
export const isPlace = (text: string, name: string): boolean =>
  new RegExp(
    `\\b(?:of|in|on|for|from|at) (?:the |our |my )?(?:topology )?${wordsOf(name.trim().toLowerCase()).source}`,
    'u',
  ).test(text);

const lowerOf = (all: readonly TopologyMention[]): ReadonlySet<string> =>
  new Set(all.flatMap(({ named }) => named.map((name) => name.toLowerCase())));

/**
 * Returns the whole names among what a text names: of topologies and nodes, not words of a
 * topology's name.
 */
const wholeNames = (all: readonly TopologyMention[]): string[] =>
  all.flatMap(({ name, named }) => named.filter((each) => !isPartOf(name, each)));

/**
 * Selects the names that a text means. The longest match wins, across all topologies. If the text
 * has the whole name of a topology, nodes of other topologies are not meant if it has such a node,
 * too, or if the text names it as a location ("the bus of the web shop"); nor are common words of
 * names in the position of a word.
 * @param text in lower case
 */
export function meantNames<Each extends TopologyMention>(
  text: string,
  all: readonly Each[],
  isWord: (name: string) => boolean,
): Each[] {
  let rest = text;
  const found = new Set<string>();
  for (const name of byLength(wholeNames(all))) {
    const left = rest.replace(standing(name, isWord), ' , ');
    if (left !== rest) found.add(name.toLowerCase());
    rest = left;
  }
  const isWhole = ({ name }: TopologyMention) => found.has(name.toLowerCase());
  const hasAll = ({ named }: TopologyMention) =>
    [...found].every((name) => named.some((each) => each.toLowerCase() === name));
  // If a text has all of several names, the topology that has them is meant, even if another one
  // has such a name.
  const withAll = found.size > 1 ? all.filter(hasAll) : [];
  const whole = all.filter(isWhole);
  const ofWhole = lowerOf(whole);
  const isAnyPlace = whole.some(({ name }) => isPlace(text, name));
  const isMeant = (each: Each, name: string) =>
    withAll.length > 0
      ? withAll.includes(each)
      : isWhole(each) || !(isAnyPlace || ofWhole.has(name));
  return all.flatMap((each) => {
    const parts = each.named.filter((name) => isPartOf(each.name, name) && mentions(rest, name));
    const meant = [
      ...each.named.filter(
        (name) => found.has(name.toLowerCase()) && isMeant(each, name.toLowerCase()),
      ),
      ...(parts.every(isWord) ? [] : parts),
    ];
    return meant.length === 0 ? [] : [{ ...each, named: meant }];
  });
}

/**
 * Replaces the whole names that a text means by a neutral word.
 * @param text in lower case
 */
export const hideNames = (
  text: string,
  all: readonly TopologyMention[],
  isWord: (name: string) => boolean = () => true,
  hidden = HIDDEN,
): string =>
  byLength(wholeNames(meantNames(text, all, isWord))).reduce(
    (left, name) => left.replace(standing(name, isWord), hidden),
    text,
  );

const byLength = (names: readonly string[]): string[] =>
  [...new Set(names)].sort((a, b) => b.length - a.length);

/**
 * Returns the names of a topology and of its nodes that are close to a misspelt one; if there are
 * none, those of the nodes with this kind, and those of which it is a word, or close to one.
 * @param given in lower case
 */
export function namesLike(
  given: string,
  { name, nodes }: TopologyNames<{ id: string; name: string; kind: string }>,
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
        (node.name.toLowerCase().match(WORDS) ?? []).some(
          (word) => isLike(word) || `${word}s` === given,
        ),
    )
    .map((node) => node.name);
}
