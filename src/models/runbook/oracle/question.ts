import { isForeign } from './names.js';

/** What a question asks for, as far as its words tell. */
export type Wish =
  | 'open-page'
  | 'diagnose'
  | 'since'
  | 'duration'
  | 'checked'
  | 'log'
  | 'why'
  | 'shape'
  | 'runs'
  | 'last-run'
  | 'compare'
  | 'fix'
  | 'foreign'
  | 'topologies'
  | 'help'
  | 'measure'
  | 'explain'
  /** Nothing that is known: perhaps it names a node. */
  | 'unclear';

export interface Question {
  wish: Wish;
  /** In lower case. */
  text: string;
  topologyId: number | undefined;
  runId: string | undefined;
  /** It speaks of the latest diagnosis, whatever was spoken of before. */
  latest: boolean;
  /** It speaks of everything, or of what it does not name. */
  isForAll: boolean;
  page: string | undefined;
  /** The status of the runs that it asks for. */
  status: string | undefined;
  /** It speaks of a day: the runbook knows none. */
  isOfDay: boolean;
}

/** A text of the conversation before the question. */
export interface Said {
  by: 'person' | 'oracle';
  text: string;
}

export const RUN_ID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
export const TOPOLOGY_ID = /\btopology\s+(?:#|no\.?\s*|number\s+)?(\d{1,15})\b/;
const PAGES: readonly (readonly [RegExp, string])[] = [
  [/\btopolog(?:y|ies)\b/, 'topologies'],
  [/\b(?:runs?|diagnos[ei]s|executions?)\b/, 'runs'],
  [/\bsettings\b/, 'settings'],
  [/\b(?:conversations?|chats?)\b/, 'conversations'],
  [/\b(?:home|dashboard|start page)\b/, 'home'],
];
const OPEN = /\b(?:open|go to|navigate to|take me to|bring up)\b/;

const POLITE =
  "(?:(?:please|now|so|ok|okay|and|then|can you|could you|would you|will you|let'?s|i want you to|i'd like you to|you should)[\\s,]+)*";
const DIAGNOSE = new RegExp(
  `^\\W*${POLITE}(?:(?:re-?)?diagnose|investigate|troubleshoot|(?:start|trigger|launch|kick off|begin|run|do|make) (?:(?:a|an|the|another|new|fresh) )*(?:diagnosis|investigation|run)\\b)`,
);

/** The first that fits is meant. */
const WISHES: readonly (readonly [Wish, RegExp])[] = [
  ['diagnose', DIAGNOSE],
  ['compare', /\bcompar\w+\b|\bdifferen\w+\b|\bwhat (?:has )?changed\b/],
  [
    'fix',
    /\bhow (?:do|can|should|could|would) (?:i|we|you|one)\b.*\b(?:fix|mend|solve|repair|resolve)\b|\bhow to (?:fix|mend|solve|repair|resolve)\b/,
  ],
  [
    'last-run',
    /\bwhen\b.*\b(?:last|latest|newest)\b.*\b(?:diagnos\w+|run|check\w*)\b|\bwhen\b.*\blast (?:diagnosed|checked)\b/,
  ],
  [
    'since',
    /\b(?:was|were|has|did|had)\b.*\b(?:before|earlier|previously)\b|\bsince when\b|\bhow long (?:has|have|is|was)\b|\bwhen (?:did|has|was)\b.*\b(?:start\w*|beg[aiu]n|break|broke|fail\w*|happen\w*|first)\b|\bfirst (?:seen|time)\b/,
  ],
  ['duration', /\bhow long\b.*\b(?:take|took|last|run|need)\b|\bduration\b/],
  [
    'checked',
    /\b(?:what|which|did|have|has|was|were)\b.*\b(?:check(?:ed)?|look(?:ed)? at|covered?|tested|measured?|probed?)\b.*|\b(?:unchecked|skipped)\b|\bnot checked\b/,
  ],
  [
    'shape',
    /\b(?:what|which|describe|show)(?: is| me)?\s+topology\s+#?\d+\W*$|\bdepend(?:s|ed|ing|ency|encies|ents?)?\b|\b(?:up|down)stream\b|\b(?:which|what) (?:nodes|services|teams)\b|\bnodes of\b/,
  ],
  [
    'runs',
    /\b(?:list|show|which|what|all|recent|past|previous|last \d+)\b.*\b(?:runs|diagnoses|executions)\b|\bhistory\b|^\W*(?:runs|diagnoses)\W*$/,
  ],
  ['topologies', /\b(?:topologies|systems)\b/],
  [
    'help',
    /\bhelp\b|\bwhat (?:can|do) you\b|\bwho are you\b|^\W*(?:hi|hello|hey|thanks?|thank you|thx|good morning|good evening)\b/,
  ],
  ['log', /\blog(?:s|file)?\b|\bevents?\b|\bevidence\b|\bproof\b|\bprove\b|\braw\b/],
  ['why', /\bwhy\b|\bhow (?:do|did|can) you know\b|\bhow come\b|\breasons?\b/],
];
const ALL = /\b(?:everything|anything|something|all|it|this|that|things|we|status|worry|overall)\b/;
/** Speaks of what a diagnosis has found, not of what can be measured now. */
const PAST =
  /\b(?:last|latest|previous|past|recent|causes?|reports?|findings?|found|results?|wrong|why|was|were|did|happen\w*|since|summary)\b/;
const NOW =
  /\b(?:is|are|check|probe|ping|measure|test|how|up|down|ok|okay|alive|reachable|healthy|respond\w*|status|now)\b/;
const TROUBLE =
  /\b(?:fail\w*|errors?|issues?|problems?|broken?|incident|outage|slow|trouble|matter|going on|diagnos\w+|blame|say|says|said|tell|explain|detail\w*|more)\b/;

const STATUSES: readonly (readonly [RegExp, string])[] = [
  [/\bfailed\b/, 'failed'],
  [/\bcancell?ed\b/, 'cancelled'],
  [/\b(?:running|going on)\b/, 'running'],
  [/\bcompleted\b/, 'completed'],
];

/** Reads a question by its words. */
export function readQuestion(message: string): Question {
  const text = message.toLowerCase();
  const named = TOPOLOGY_ID.exec(text)?.[1];
  const [runId] = text.match(RUN_ID) ?? [];
  const target = OPEN.test(text) ? PAGES.find(([words]) => words.test(text))?.[1] : undefined;
  const page = target === 'runs' && runId !== undefined ? `runs/${runId}` : target;
  const known = isForeign(text) ? 'foreign' : wishIn(text);
  const wish = page === undefined ? known : 'open-page';
  return {
    wish,
    text,
    topologyId: named === undefined ? undefined : Number(named),
    runId,
    latest: wish !== 'compare' && wish !== 'diagnose' && /\b(?:last|latest|newest)\b/.test(text),
    isForAll: ALL.test(text),
    page,
    status: STATUSES.find(([words]) => words.test(text))?.[1],
    isOfDay: /\b(?:today|yesterday|tonight|this (?:morning|week|month))\b/.test(text),
  };
}

function wishIn(text: string): Wish {
  const known = WISHES.find(([, words]) => words.test(text))?.[0];
  if (known) return known;
  if (PAST.test(text)) return 'explain';
  if (NOW.test(text)) return 'measure';
  return TROUBLE.test(text) || text.match(RUN_ID) !== null ? 'explain' : 'unclear';
}

/** Whether a text has a name in it, as words of their own. */
export function mentions(text: string, name: string): boolean {
  const words = name.trim().toLowerCase();
  if (words === '') return false;
  return wordsOf(words).test(text);
}

/** A text without a name that it has in it. */
export const without = (text: string, name: string): string =>
  mentions(text, name) ? text.replace(wordsOf(name.trim().toLowerCase()), ' , ') : text;

/** A name as people write it: "orders db" for `orders-db`. */
function wordsOf(name: string): RegExp {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[\s_-]+/g, '[\\s_-]+');
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${escaped}(?![\\p{L}\\p{N}_-])`, 'u');
}
