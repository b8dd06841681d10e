import {
  hideNames,
  isPlace,
  meantNames,
  mentions,
  namesIn,
} from '../../../../domain/topology/names-in-text.js';
import { some } from '../../../../domain/diagnosis/wording.js';
import { escapePattern } from '../../../../lib/text.js';
import type { NamedTopology } from '../facts.js';
import { unknownWords } from '../reading/question.js';
import type { AnswerInput } from '../answer-input.js';
import { topologiesText } from '../replies/lists.js';
import { isCommon, isPart, wordsIn } from '../reading/vocabulary.js';

/**
 * Returns the topologies of which a question names something, with what it names. The topology of
 * the request or of the conversation wins if it has all that is named. A name that is a common
 * word, such as "Status", loses against any other name, against an id and against that topology. A
 * name that is quoted, or follows "node" or "topology", loses against nothing.
 */
export function namedBy(asked: AnswerInput): NamedTopology[] {
  const { question, brief, facts } = asked;
  const { text, rest, topologyIds, runIds } = question;
  const hasIds = topologyIds.length + runIds.length > 0;
  const own = ownNamed(asked).flatMap((each) => withoutPlain(each, text, hasIds || !isPlain(each)));
  if (own.some((each) => hasAll(text, each))) return own;
  if (brief.topology !== null && unknownWords(rest).length === 0) return own;
  const home = homeOf(asked);
  const raw = facts.naming(text);
  const all = meantNames(text, raw, isCommon);
  const ofHome = meantNames(
    text,
    raw.filter(({ id }) => id === home),
    isCommon,
  );
  const isSure = hasIds || all.some((each) => !isPlain(each));
  const meant = all.flatMap((each) =>
    withoutPlain(each, text, isSure || (home !== undefined && each.id !== home)),
  );
  const [first] = ofHome.flatMap((each) => withoutPlain(each, text, isSure));
  const names = meant.flatMap(({ named }) => named.map(lower));
  const isHome =
    first !== undefined &&
    names.every((name) => first.named.some((each) => lower(each) === name)) &&
    !names.some((name) => isExplicit(text, name));
  if (isHome) return [first];
  const isWhole = meant.some(
    (each) => each.id === home || hasWholeName(each) || (home === undefined && hasNode(each)),
  );
  const ofKind = isWhole || hasIds ? [] : namedByKind(asked, meant);
  return ofKind.length > 0 ? ofKind : meant;
}

/** Maximum of words of a question that are looked up as kinds of nodes. */
const MOST_KINDS = 3;

/**
 * Returns the topologies with nodes of a kind that a question has: it means these nodes. If the
 * request or the conversation has a topology with such nodes, or with one that is called so, only
 * that one. What any node may have, such as DNS, is a kind only there. A word of a longer name that
 * the question has is none.
 * @param meant what the question names
 */
function namedByKind(asked: AnswerInput, meant: readonly NamedTopology[]): NamedTopology[] {
  const { question, facts } = asked;
  const home = homeOf(asked);
  const longer = meant.map((each) => ({
    ...each,
    named: each.named.filter((name) => wordsIn(name).length > 1),
  }));
  const text = hideNames(question.text, longer, isCommon, ',');
  const words = unknownWords(text).slice(0, MOST_KINDS);
  const alike = facts.similarTo([...new Set(words.flatMap(formsOf))]).flat();
  const all = facts.shapes([...new Set(alike.map(({ id }) => id))]).flatMap((shape) => {
    const { id, name, nodes } = shape;
    const ofKind = (word: string) => {
      const those = nodes.filter(({ kind }) => formsOf(word).includes(lower(kind)));
      return those.length === 0 && id === home ? onlyCalled(nodes, word) : those;
    };
    const kinds = words.filter((word) => ofKind(word).length > 0);
    const named = [...kinds, ...kinds.flatMap(ofKind).map((node) => node.name)];
    return kinds.length === 0 ? [] : [{ id, name, nodes: nodes.length, named }];
  });
  const ofHome = all.filter(({ id }) => id === home);
  return ofHome.length > 0
    ? ofHome
    : all.filter(({ named }) => named.some((each) => words.includes(each) && !isPart(each)));
}

/**
 * Returns the node whose name has a word for the same kinds, if it is the only one: "Orders
 * database" for "db".
 */
function onlyCalled<Node extends { name: string }>(nodes: readonly Node[], word: string): Node[] {
  const same = sameAs(word);
  const those = nodes.filter(({ name }) => wordsIn(name).some((each) => same.includes(each)));
  return those.length === 1 ? those : [];
}

const BROKERS = ['rabbitmq', 'kafka'];
const DATABASES = ['postgres', 'mysql'];
const MACHINES = ['host'];
/** What people call the nodes of some kinds: words for the same kinds have the same list. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  db: DATABASES,
  database: DATABASES,
  broker: BROKERS,
  cache: ['redis'],
  machine: MACHINES,
  server: MACHINES,
};

/** Whether a word is what people call the nodes of some kinds. */
export const isKindWord = (word: string): boolean => Object.hasOwn(KINDS, word);

const kindsOf = (word: string): readonly string[] => (isKindWord(word) ? (KINDS[word] ?? []) : []);

/** The words for the same kinds as a word. */
const sameAs = (word: string): string[] =>
  Object.keys(KINDS).filter((other) => KINDS[other] === KINDS[word]);

/** A word, what it may be the plural of, the words for the same kinds, and these kinds. */
function formsOf(word: string): string[] {
  const own = [word, word.replace(/es$/u, ''), word.replace(/s$/u, '')];
  return [...new Set([...own, ...own.flatMap(sameAs), ...own.flatMap(kindsOf)])];
}

/** Whether a text names more than words of the name of a topology. */
export const hasNode = ({ name, named }: NamedTopology): boolean =>
  named.some((each) => !mentions(lower(name), each));

export const hasWholeName = ({ name, named }: NamedTopology): boolean =>
  named.some((each) => lower(each) === lower(name));

/** Whether what a question names are words with an article: it may mean them as words. */
export const mayBeWords = (text: string, all: readonly NamedTopology[]): boolean =>
  all.every(isPlain) &&
  all.every(({ named }) =>
    named.every((name) =>
      new RegExp(`\\b(?:the|our|my|its) ${escapePattern(lower(name))}\\b`, 'u').test(text),
    ),
  );

/**
 * Offers another topology than that of the request or of the conversation, if only that one has the
 * name in a question; undefined if it does not, or if the question names a topology by its id or
 * its whole name.
 */
export function otherTopologyOffer(asked: AnswerInput): string | undefined {
  const { question } = asked;
  const home = homeOf(asked);
  const isSaid = question.topologyIds.length + question.runIds.length > 0;
  if (home === undefined || isSaid || unknownWords(question.rest).length === 0) return undefined;
  const [meant, ...more] = namedBy(asked);
  if (!meant || more.length > 0 || meant.id === home || hasWholeName(meant)) return undefined;
  // A word of the topology's own name means that topology.
  if (!hasNode(meant)) return undefined;
  const { id, name, named } = meant;
  return `Topology ${home} has nothing called "${named.at(-1)}", but topology ${id} (${name}) has: add "of topology ${id}" to the question if you mean that.`;
}

/**
 * Says which nodes of a question are in other topologies than the one that it was answered for;
 * undefined if there are none.
 * @param answered the id of that topology
 */
export function leftOutText(asked: AnswerInput, answered: number): string | undefined {
  const named = namedBy(asked);
  const own = named.find(({ id }) => id === answered);
  if (!own) return undefined;
  const known = new Set(own.named.map(lower));
  const isLeftOut = (name: string) =>
    !known.has(lower(name)) && named.every((each) => !mentions(lower(each.name), lower(name)));
  const lines = named.flatMap(({ id, name, named: names }) => {
    const left = names.filter(isLeftOut).at(-1);
    return left === undefined
      ? []
      : [
          `I left out "${left}", which is in topology ${id} (${name}): add "of topology ${id}" to a question about it.`,
        ];
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}

/**
 * Says that the topology in which a question places a node has none of that name, but another one
 * has; else undefined.
 */
export function misplacedText({ question: { text }, facts }: AnswerInput): string | undefined {
  const all = facts.naming(text);
  const place = all.find((each) => hasWholeName(each) && isPlace(text, each.name));
  if (!place || hasNode(place)) return undefined;
  const [other, ...more] = all.filter((each) => each.id !== place.id && hasNode(each));
  const name = other?.named.find((each) => !mentions(lower(other.name), each));
  if (!other || name === undefined || more.length > 0) return undefined;
  return `Topology ${place.id} (${place.name}) has nothing called "${name}", but topology ${other.id} (${other.name}) has: say "of topology ${other.id}" if you mean that.`;
}

/** Returns the id of the topology of the request, or else of the one that was discussed last. */
const homeOf = ({ brief, before }: AnswerInput): number | undefined =>
  brief.topology?.id ?? before.topologyId;

/** Maximum of nodes that are listed. */
const MOST_LISTED = 20;

/** Says what a question may name: the nodes of its topology, or else the topologies. */
export function knownText(asked: AnswerInput): string {
  const { facts, question } = asked;
  const [place, ...more] = unknownWords(question.rest).length === 0 ? [] : namedBy(asked);
  const home = place && more.length === 0 ? place.id : homeOf(asked);
  const topologies = facts.topologies();
  if (!topologies.some(({ id }) => id === home) || home === undefined)
    return topologiesText(topologies);
  const { name, nodes } = facts.shape(home);
  const names = nodes.map((node) => node.name);
  return `The ${names.length === 1 ? 'node' : 'nodes'} of topology ${home} (${name}) ${names.length === 1 ? 'is' : 'are'} ${some(names, MOST_LISTED)}.`;
}

/** Returns the topology of the request, if a question names something of it. */
function ownNamed({ question: { text }, brief: { topology } }: AnswerInput): NamedTopology[] {
  if (topology === null) return [];
  const named = namesIn(text, topology);
  return meantNames(text, [{ ...topology, nodes: topology.nodes.length, named }], isCommon);
}

/** Whether a topology has all names in a text: the other words are common. */
function hasAll(text: string, named: NamedTopology): boolean {
  const own = new Set(named.named.flatMap(wordsIn));
  return unknownWords(hideNames(text, [named], isCommon, ',')).every((word) => own.has(word));
}

const isPlainName = (name: string): boolean =>
  /^[\p{L}\p{N}]+$/u.test(name) && isCommon(lower(name));

const isPlain = ({ named }: NamedTopology): boolean => named.every(isPlainName);

/** Whether a text says that a word is a name. */
const isExplicit = (text: string, name: string): boolean =>
  new RegExp(
    `["'\`“‘]${escapePattern(lower(name))}["'\`”’]|\\b(?:node|topology|service) (?:called |named )?${escapePattern(lower(name))}(?![\\p{L}\\p{N}_-])`,
    'u',
  ).test(text);

/** Leaves out the names that are common words, if a text does not say that they are names. */
function withoutPlain(each: NamedTopology, text: string, isWord: boolean): NamedTopology[] {
  const named = each.named.filter(
    (name) => !isWord || !isPlainName(name) || isExplicit(text, name),
  );
  return named.length === 0 ? [] : [{ ...each, named }];
}

const lower = (text: string): string => text.toLowerCase();
