import type { Unchecked } from './finding.js';

/** Why a node is unchecked, by the code of the reason. */
const UNCHECKED_WORDS: Readonly<Record<string, string>> = {
  NOT_MEASURED: 'it was not measured',
  NOT_ASKED: 'the run was asked to look at other nodes',
  NO_TOOL: 'no tool measures it',
  FORBIDDEN: 'the diagnosis lacks a right to read it',
  NOT_READ: 'its answer was not read to the end',
  EGRESS_DENIED: 'the service may not connect to it',
  SOURCE_UNAVAILABLE: 'its tools could not measure',
  LIMIT_REACHED: 'the time of the run was up',
  NOT_RECORDED: 'nothing was recorded of it',
  AGENT_FAILED: 'its agent ended without a report',
  UNRELIABLE: 'the prober was short of processor time',
  NODE_QUARANTINED: 'probing it has ended processes before',
};

/** Why a node is unchecked, in a few words; the reason itself if it is not a known code. */
export const uncheckedWords = ({ reason }: Pick<Unchecked, 'reason'>): string =>
  Object.hasOwn(UNCHECKED_WORDS, reason) ? (UNCHECKED_WORDS[reason] ?? reason) : reason;

/** Why a node is unchecked, for people: the sentence of the report, otherwise a few words. */
export const uncheckedText = ({ reason, detail }: Pick<Unchecked, 'reason' | 'detail'>): string =>
  detail ?? uncheckedWords({ reason });

const list = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** Maximum names in a sentence; the rest is a number. */
const MOST_NAMED = 5;

/** A few names, and how many more there are: `A, B, C, D, E and 3 more`. */
export function some(names: readonly string[], most = MOST_NAMED): string {
  const rest = names.length - most;
  return rest > 0 ? list([...names.slice(0, most), `${rest} more`]) : list(names);
}

/** Prefixes a text about a node with its name: `Payments: answers 500`. */
export const withName = (name: string, text: string): string => `${name}: ${text}`;

/**
 * Returns a text about a node without its name, as `withName` adds it; any other text unchanged.
 */
export function withoutName(name: string, text: string): string {
  const start = withName(name, '');
  return text.startsWith(start) ? text.slice(start.length) : text;
}

/** Counts of causes by agents, which do not know everything that the service does. */
const COUNT = /^(?:\d+ root causes|And \d+ more)\.?$/;
/** The beginning of the headline of a run that was interrupted before its conclusion. */
export const ENDED_EARLY = 'The run ended before its conclusion.';

/** A sentence about a root cause as an entry of a list: without "is the root cause". */
export const listed = (text: string): string =>
  text.replaceAll(/ (?:is|may be) the root cause(?=: )/g, '');

/**
 * A statement about the root cause. The service computes the root cause; claims of agents are
 * findings.
 */
const CAUSE = / (?:is|may be) the root cause: |\b\d+ root causes\./;

/**
 * Omits the sentences of a text that another text contains already, counts of causes, and
 * statements about the root cause if the other text has one.
 */
export const newsIn = (text: string, said: string): string =>
  text
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => !COUNT.test(sentence))
    .filter((sentence) => !(CAUSE.test(sentence) && CAUSE.test(said)))
    .filter((sentence) => !listed(said).includes(listed(sentence).replace(/[.!?]$/, '')))
    .join(' ');

/**
 * The parts of a text that a tool quotes from its target: a body, up to the last mark that ends a
 * quotation, since a target may write such marks itself; the text of a health page; the text beside
 * a status.
 */
const QUOTED =
  /(?:it said: "?|its page begins: "|\bsays: ")(?:.*"\.(?=\s|$)|.*)|, but says it is .*|(?<=\banswers \d{3} )(?!after a redirect)[^,;.]+/gis;

/**
 * The text of an issue that its tool wrote. Text of a target must not decide anything that the tool
 * measures.
 */
export const ownWords = (text: string): string => text.replace(QUOTED, '');

/** The parts that a tool quotes from a page for people. */
const PAGE = /its page begins: "(?:.*"\.(?=\s|$)|.*)/gis;

/**
 * The quotes from the target in the text of an issue, without those of a page for people, which
 * states nothing; empty if it has none.
 */
export const quotedWords = (text: string): string =>
  (text.replace(PAGE, '').match(QUOTED) ?? []).join(' ');
