import { HIDDEN, hideNames } from '../../../../domain/topology/names-in-text.js';
import type { NamedTopology } from '../facts.js';
import { GO_ON, withoutOpening } from './small-talk.js';
import { readTimes, type TimeSpan } from '../over-time/times.js';
import { isCommon, isPart, wordsIn } from './vocabulary.js';

/** A text of the conversation before the question. */
export interface Remark {
  by: 'person' | 'oracle';
  text: string;
}

/** The details of a question, without its intent. */
export interface Question {
  /** The beginning of the question, in lower case. */
  text: string;
  /**
   * The text with `HIDDEN` for each name of a topology or a node: what is asked, whatever they are
   * called.
   */
  asks: string;
  /** What the question may name: the names that it means, and its words that are not common. */
  names: string;
  /** It names nothing itself: `names` are those of an earlier question. */
  isInherited: boolean;
  /** It has no verb, and the question before asked what was: "why?" */
  isOfPast: boolean;
  /** `asks` without its times and the ids of topologies and runs. */
  rest: string;
  topologyIds: number[];
  runIds: string[];
  /** It asks for the latest diagnosis, whatever the conversation discussed before. */
  latest: boolean;
  /** It asks about everything, or names no subject. */
  isForAll: boolean;
  /** It asks about anything, and refers to nothing that the conversation has discussed. */
  isUnbound: boolean;
  /** It refers to something that was named before: "it", "there". */
  isReferring: boolean;
  /** It asks for runs with this status. */
  status: string | undefined;
  time: TimeSpan | undefined;
  /** What stands where a time would, and is none: `25:99`. */
  noTime: string | undefined;
  /** How many it asks for, as in "the last 3 runs". */
  count: number | undefined;
}

/**
 * Characters of a question that are read: the patterns of the intents are not linear, and a
 * question is short.
 */
const MOST_READ = 2_000;

export const RUN_ID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
export const TOPOLOGY_ID =
  /\b(?:topolog(?:y|ies)|and|with|to|between)\s+(?:topology\s+)?(?:#|no\.?\s*|number\s+)?(\d{1,15})\b(?![:.-])/g;
/** Nothing but a number: the answer to "which topology?". */
const ONLY_NUMBER = /^\W*(\d{1,15})\W*$/g;
const ALL =
  /\b(?:everything|anything|something|nothing|all|any|every|it|this|that|things|we|status|overall)\b|\b(?:the|our|my) (?:whole )?(?:site|platform|prod(?:uction)?)\b/;
const UNBOUND =
  /\b(?:everything|anything|something|nothing)\b|\b(?:any|every) (?:topology|system)\b/;
const REFERRING = /\b(?:it|its|this|that|these|those|they|them|their|here|there)\b/;
const STATUSES: readonly (readonly [RegExp, string])[] = [
  [/\bfailed\b/, 'failed'],
  [/\bcancell?ed\b/, 'cancelled'],
  [/\b(?:running|going on|in progress|under ?way)\b/, 'running'],
  [/\bcompleted\b/, 'completed'],
  [/\bqueued\b/, 'queued'],
];

/** The latest diagnosis. The last outage, deploy or hour is something else. */
const LATEST =
  /\b(?:latest|newest)\b|\blast(?: (?!\d)\S+){0,2}? (?:runs?|diagnos\w+|executions?|ones?|reports?|results?|verdicts?|findings?|check\w*|measure\w*|summary|status)\b|\blast \d+ (?:\w+ )?(?:runs|diagnoses|executions)\b/;

/** "Is it everything or just A?", "is it just A or everything?": whether it is only A. */
const ALL_OF_IT = '(?:everything|everywhere|everyone|all(?: of (?:it|them|us))?)';
const EVERYTHING_OR = new RegExp(
  `\\b((?:is|are|was|were) (?:it|this|that|they)) ${ALL_OF_IT},? or (?:is (?:it|this|that) )?((?:just|only) )`,
);
const OR_EVERYTHING = new RegExp(
  `((?:is|are|was|were) (?:it|this|that|they) (?:just|only) .+?),? or (?:is (?:it|this|that) )?${ALL_OF_IT}(?=\\W*$)`,
);

/**
 * "Last" as a verb: "how long did it last?" It is read as "go on", so that no word means two
 * things.
 */
const LASTS =
  /\b((?:did|does|do|will|would|could|can|may|might|going to)(?: (?:it|this|that|they)| (?:the|our|my|this|that|any) (?:(?!run\b|diagnosis\b|execution\b)\S+ ){0,2}?(?!run\b|diagnosis\b|execution\b)\S+)? (?<!\b(?:fail|break|crash|happen|occur|work|run|die|begin|start|stop|change|deploy|recover|go down) ))last(?= (?:long|longer|for|until|forever)\b|\W*$)/;

/** A statement before a question about what it names: "I restarted the cache, is it back?" */
const STATEMENT =
  /^\W*(?:(?:i|we)(?: have|'ve)?(?: just| now| already)? (?:\w+ed|did|put|made|set)|(?:just )?(?:restarted|started|rebooted|fixed|repaired|replaced|renewed|reverted|scaled|raised|increased|deployed|redeployed|freed|cleared|cleaned))(?: back)? (?:the |our |my )?([^,.;?!]{1,60}?)(?:\s*[,.;!-]+\s*|\s+)(?:(?:so|and|now|but)\s+)*(?=(?:is|are|has|have|did|does|do)\b)/;

/** A question whether one may stop to worry: it asks whether everything is well. */
const MAY_REST =
  /^\W*(?:so\W+)?(?:can|may|could|should) (?:i|we) (?:go (?:back )?to (?:bed|sleep)|sleep|relax|rest|go home|stand down|stop worrying)(?: (?:now|again|then|yet))?(?=\W*$)/;

/**
 * Writes a text in lower case, with the apostrophes that people leave out or that telephones write,
 * "not" and common abbreviations in full, and without a statement before the question.
 */
function plain(text: string): string {
  const written = text
    .toLowerCase()
    .replaceAll('\u2019', "'")
    .replace(/\b(?:wat(?='?s\b| )|wtf(?= (?:is|was|are)\b|'?s\b))/g, 'what')
    .replace(/\bwen\b/g, 'when')
    .replace(/(?:^\W*|(?<!\b(?:node|topology|service)) )n(?= (?!is\b|was\b)\w)/, ' and')
    .replace(/\b(?:pls|plz)\b/g, 'please')
    .replace(/\b(?:rn|r\/n)\b/g, 'right now')
    .replace(/\batm\b/g, 'at the moment')
    .replace(/(?<![\w-])prev(?![\w-])/g, 'previous')
    .replace(/^\W*(?:(?:ok|okay|so|and|then)\W+)*i'?ll\b/, 'i will')
    .replace(/^\W*i'?m\b/, 'i am')
    .replace(/\bgonna\b/g, 'going to')
    .replace(GO_ON, 'what did you find')
    .replace(/\b(wrong|up|matter|issues?|problems?) w(?: |\/)/g, '$1 with ')
    .replace(/\b(what|how|who|where|when|that)'?s\b/g, '$1 is')
    .replace(/^\W*y(?=\W*\?|\s+(?:is|are|was|were|does|do|did|has|have|the|my|our)\b)/, 'why')
    .replace(/\b(r|are|do|did|can|could|will|would) u\b/g, '$1 you')
    .replace(/\br (?=you\b)/g, 'are ')
    .replace(/\bthe last time\b/g, 'last')
    .replace(EVERYTHING_OR, '$1 $2')
    .replace(OR_EVERYTHING, '$1')
    .replace(LASTS, '$1go on')
    .replace(/\b(has|have) ((?:\S+ ){1,3})lasted\b/, '$1 $2gone on')
    .replace(/,? or not(?=\W*$)/, '')
    .replace(/\bin (?:which|what) order\b/, 'which one first')
    .replace(MAY_REST, 'is everything ok')
    .replace(/\b(is|are|was|were|does|did|has|have|had)n'?t\b/g, '$1 not');
  const [statement, object] = STATEMENT.exec(written) ?? [];
  if (statement === undefined || object === undefined) return written;
  return written.slice(statement.length).replace(/\b(?:it|that|this)\b/, object);
}

/**
 * @param now ms since 1970
 * @param named the topologies that the message names
 */
export function readQuestion(
  message: string,
  now: number,
  named?: readonly NamedTopology[],
): Question {
  const text = withoutOpening(plain(message.slice(0, MOST_READ)));
  const asks = withVerb(hideNames(text, named ?? [], isCommon));
  const ofTopologies = [
    ...asks.matchAll(/\b(?:topolog|compar|differ)/.test(asks) ? TOPOLOGY_ID : ONLY_NUMBER),
  ];
  const withoutIds = ofTopologies
    .reduce((left, [given]) => left.replace(given, ' '), asks)
    .replace(RUN_ID, ' ');
  return {
    text,
    asks,
    names: named ? namesOf(asks, named) : text,
    isInherited: false,
    isOfPast: false,
    ...readTimes(withoutIds, now),
    topologyIds: ofTopologies.map(([, id]) => Number(id)),
    runIds: text.match(RUN_ID) ?? [],
    latest: LATEST.test(asks),
    count: countIn(asks),
    isForAll: ALL.test(asks),
    isUnbound: UNBOUND.test(asks) && !REFERRING.test(asks),
    isReferring: REFERRING.test(asks),
    status: STATUSES.find(([words]) => words.test(asks))?.[1],
  };
}

/**
 * A question that leaves out its verb: "all good?", "payments still down?" Its subject is a name,
 * also a misspelt one, or everything.
 */
const WITHOUT_VERB = new RegExp(
  `^\\W*(?:(?:the|our|my) )?(?:(it|we|everything|all(?: the| my| our)?(?: systems| services| nodes| topologies)?)|([\\p{L}\\p{N}_.-]+))` +
    ' (?:(?:still|now|really|again|not|all) )*' +
    '(?:ok|okay|good|fine|well|healthy|up|alive|reachable|working|stable|fixed|back|recovered|down|broken|slow|unhealthy|failing|hanging|degraded|unreachable|overloaded|crashing|full)' +
    '(?: (?:up|now|again|yet|too))*\\W*$',
  'u',
);

const withVerb = (asks: string): string =>
  asks.replace(WITHOUT_VERB, (whole, _all: string | undefined, name: string | undefined) =>
    name === undefined || !isCommon(name) ? `is ${whole}` : whole,
  );

const namesOf = (asks: string, named: readonly NamedTopology[]): string =>
  [...named.flatMap((each) => each.named), ...unknownWords(asks)]
    .filter((name) => name !== HIDDEN)
    .join(' , ')
    .toLowerCase();

/** Returns the words of a text that are not common words: they may be names. */
export const unknownWords = (text: string): string[] =>
  wordsIn(text).filter((word) => !isCommon(word) && !/^\d+$/.test(word));

/** Leaves out what a question asks about of a node: "the password of Sessions". */
export const withoutParts = (question: Question): Question => ({
  ...question,
  rest: question.rest.replace(/[\p{L}\p{N}_]+/gu, (word) => (isPart(word) ? ' ' : word)),
});

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const COUNT = new RegExp(
  `\\b(\\d{1,4}|${NUMBERS.join('|')})\\s+(?:(?:last|latest|newest|most|recent|completed|failed|cancell?ed)\\s+)*(?:runs?|diagnos[ei]s|executions?)\\b`,
);

function countIn(text: string): number | undefined {
  const [, given] = COUNT.exec(text) ?? [];
  if (given === undefined) return undefined;
  const named = NUMBERS.indexOf(given);
  return named === -1 ? Number(given) : named + 1;
}

const NAME = '(?:the\\s+|our\\s+|my\\s+)?([\\p{L}\\p{N}][\\p{L}\\p{N}_.-]*)';
/** Where a subject is. */
const PLACE = `(?:of|in|on|at|for)\\s+(?:the\\s+|our\\s+|my\\s+)?(?:${HIDDEN}|topology\\s+\\d+)`;
const SUBJECTS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:wrong|happen\\w*|up|problems?|issues?|matter|trouble|going on|know)\\s+(?:with|in|on|to|about)\\s+${NAME}`,
    'u',
  ),
  new RegExp(
    `\\b(?:diagnose|investigate|troubleshoot|fix|(?:diagnosis|investigation|run) (?:of|for|on))\\s+${NAME}`,
    'u',
  ),
  new RegExp(
    `^\\W*(?:is|are|was)\\s+${NAME}(?:\\s+${PLACE})?\\s+(?:ok|okay|up|down|broken|healthy|alive|reachable|slow|fine|affected|well)\\b`,
    'u',
  ),
  new RegExp(
    `^\\W*(?:(?:is|was|are|were|could|might|can|may)\\s+(?:it|this|that)(?:\\s+(?:be|again|really|also))*|(?:does|did|has|have|why\\s+(?:is|are|was|were|does|did)))\\s+${NAME}`,
    'u',
  ),
];

const PHRASE =
  /^\W*(?:is|are|was|were)\s+((?:[\p{L}\p{N}_.-]+\s+){2,5})(?:ok|okay|up|down|broken|healthy|alive|reachable|slow|fine|affected|well)\b/u;

/**
 * Returns the words of a subject that are not common, if they are several: "garage door" in "is the
 * garage door slow".
 */
export function phraseIn(text: string): string | undefined {
  const words = unknownWords(PHRASE.exec(text)?.[1] ?? '');
  return words.length > 1 ? words.join(' ') : undefined;
}

/** Returns the name in "wrong with X", "diagnose X" or "is X ok"; undefined if there is none. */
export function subjectIn(text: string): string | undefined {
  const withoutRuns = text.replace(RUN_ID, ' ');
  for (const pattern of SUBJECTS) {
    const word = pattern.exec(withoutRuns)?.[1]?.replace(/[.-]+$/, '');
    if (word !== undefined)
      return word !== HIDDEN && unknownWords(word).length > 0 ? word : undefined;
  }
  return undefined;
}
