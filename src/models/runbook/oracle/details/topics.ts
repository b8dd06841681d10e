import type { FailureKind } from '../../../../domain/diagnosis/failure-kind.js';
import type { Finding, Symptom } from '../../../../domain/diagnosis/finding.js';
import { ownWords } from '../../../../domain/diagnosis/wording.js';

/** What questions ask about apart from systems: a quantity, a kind of fault, a tool. */
export interface Topic {
  /** Follows "about": "memory". */
  name: string;
  /** Matches a question about it. */
  asks: RegExp;
  /** Matches the text of a measurement that is about it, as `tool: summary`, and of a step. */
  shows: RegExp;
  /** The findings that are about it. */
  kinds?: readonly FailureKind[];
  symptoms?: readonly Symptom[];
  /** Matches the title of a finding about it that has neither. Absent: `shows`. */
  says?: RegExp;
  /**
   * What a report lists for information counts as well: an error in a log is one, whatever it
   * means.
   */
  countsInfo?: true;
  /** It asks for these measurements, also if they show no fault: those with a status code. */
  isWanted?: RegExp;
}

/** Asks whether something was changed. What has changed between diagnoses is compared. */
export const CHANGES =
  /\b(?:deploy(?:s|ed|ing|ment|ments)?|releases?d?|rollouts?|commits?)\b|\b(?:a|any|some|no|recent|which) (?:recent )?changes?\b|^\W*(?:did|has|have)\b.*\bchange[ds]?\b/;

/** The first topic that matches a question wins. */
const TOPICS: readonly Topic[] = [
  {
    name: 'credentials',
    asks: /\b(?:passwords?|credentials?|secrets?|logins?|permissions?)\b/,
    shows:
      /\bpasswords?\b|\bcredentials?\b|\bsecrets?\b|\blog ?ins?\b|\bpermissions?\b|\b(?:un)?auth(?!orit(?:y|ies)\b)\w*|\bNOAUTH\b|\bdenied\b|\b40[13]\b/i,
    kinds: ['auth'],
  },
  {
    name: 'time-outs',
    asks: /\btime[- ]?outs?\b|\btim(?:ed|es|ing) out\b|\bhang(?:s|ing)?\b|\bhung\b|\bstuck\b|\bfrozen\b/,
    shows: /\btime-?outs?\b|\btimed out\b|\bno (?:complete )?answer\b|\bnot answer|\b\d+ m?s\b/i,
    kinds: ['timeout'],
    says: /\btime-?outs?\b|\btimed out\b|\bwithin \d+(?:\.\d+)? m?s\b/i,
  },
  {
    name: 'response times',
    asks: /\bslow(?:ly|ness)?\b|\blaggy\b|\bsluggish\b|\bhow (?:fast|quick\w*)\b|\blatenc(?:y|ies)\b|\bresponse times?\b|\btakes? (?:so|too) long\b/,
    shows: /\b\d+(?:\.\d+)? m?s\b|\bslow|\blatency/i,
    kinds: ['latency', 'timeout', 'slow-query', 'network-delay'],
    symptoms: ['slow'],
    says: /\bslow|\blatency|\banswers in \d/i,
  },
  {
    name: 'certificates',
    asks: /\bcert(?:ificate)?s?\b|\btls\b|\bssl\b|\bexpir(?:e[sd]?|ing)\b/,
    shows: /\bcertificates?\b|\btls\b/i,
    kinds: ['certificate-expired'],
  },
  {
    name: 'DNS',
    asks: /\bdns\b|\bname resolution\b|(?<=^\W*(?:does|do|did|can|will)\b(?! (?:i|we|you)\b).*)\bresolve\b|\bnot resolv(?:e|ing)\b|\bresolves\b/,
    shows: /\bdns\b|\bhost names?\b|\bresolves?\b/i,
    kinds: ['dns'],
    symptoms: ['nameless'],
  },
  {
    name: 'memory',
    asks: /\bmemory\b|\bram\b|\bheap\b|\boom\b/,
    shows: /\b(?:max)?memory\b|\bheap\b|\bOOM\b|\bRSS\b/i,
    kinds: ['out-of-memory', 'memory', 'memory-leak'],
  },
  {
    name: 'processor time',
    asks: /\bcpus?\b|\bprocessors?\b|\b(?:system )?load\b/,
    shows: /\bcpus?\b|\bprocessors?\b|\bload\b/i,
    kinds: ['cpu-saturated', 'cpu-throttled'],
  },
  {
    name: 'disks',
    asks: /\bdisks?\b|\bstorage\b|\bvolumes?\b/,
    shows: /\bdisks?\b|\bvolumes?\b|\bno space\b|\bstorage\b/i,
    kinds: ['disk-full', 'volume'],
  },
  {
    name: 'queues',
    asks: /\bqueues?\b|\bbacklog\b|\blag\b|\bconsumers?\b/,
    shows: /\bqueues?\b|\bbacklog\b|\blag\b|\bconsumers?\b/i,
    kinds: ['queue-lag', 'queue-partition'],
  },
  {
    name: 'changes',
    asks: CHANGES,
    shows: /\bdeploy\w*|\brelease\b|\brollout\b|\bcommits?\b|\bchanged?\b/i,
    kinds: ['regression'],
  },
  {
    name: 'the number of connections',
    asks: /\b(?:how many|number of|too many|max(?:imum)?|open|free|used)(?: \w+)? connections\b|\bconnection (?:pools?|limits?|counts?|slots?)\b/,
    shows:
      /\b\d+ (?:of \d+ )?(?:client )?connections\b|\bconnections?:? \d|\bconnection (?:pool|slots?)\b/i,
    kinds: ['connection-pool-exhausted'],
  },
  {
    name: 'the network',
    asks: /\breach(?:able|es)?\b|\bunreachable\b|\bconnections?\b|\bnetwork(?:ing)?\b|\bfirewalls?\b|\bconnectivity\b|\bpackets?\b/,
    shows:
      /\bnetwork\b|\bconnect(?:s|ed|ions?)?\b|\bunreachable\b|\bfirewall\b|\bpackets?\b|\banswer(?:s|ed)\b/i,
    kinds: ['unreachable', 'network-delay', 'network-policy', 'wrong-address'],
    symptoms: ['unreachable'],
    says: /\bnetwork\b|\bconnections?\b|\bunreachable\b|\bfirewall\b|\bpackets?\b/i,
  },
  {
    name: 'load',
    asks: /\boverload(?:ed|ing)?\b|\bunder (?:heavy |high )?load\b|\bsaturated\b|\bexhausted\b/,
    shows:
      /\bcpus?\b|\bprocessors?\b|\bload\b|\bmemory\b|\bqueues?\b|\bbacklog\b|\b\d+ of \d+ (?:client )?connections\b/i,
    kinds: [
      ...(['load', 'traffic-surge', 'cpu-saturated', 'cpu-throttled', 'rate-limited'] as const),
      ...(['memory', 'out-of-memory', 'connection-pool-exhausted', 'queue-lag'] as const),
    ],
  },
  {
    name: 'space',
    asks: /(?<!\bwhy\b.*)\bfull\b|\bout of space\b/,
    shows: /\bdisks?\b|\bvolumes?\b|\bspace\b|\bmemory\b|\bqueues?\b/i,
    kinds: ['disk-full', 'volume', 'out-of-memory', 'memory', 'queue-lag'],
  },
  {
    name: 'crashes',
    asks: /\bcrash(?:es|ed|ing)?\b|\brestart(?:s|ing)\b|\bflapping\b/,
    shows: /\bcrash|\brestart|\bexited\b|^process_check:/i,
    kinds: ['crash', 'crash-loop', 'bad-command'],
  },
  {
    name: 'logs',
    asks: /\b(?:in|from) (?:the |its |their )?logs?\b/,
    shows: /^log_\w+:|\blog (?:lines?|patterns?)\b|\bin its logs\b/i,
    countsInfo: true,
  },
];

const CODE = /\b(?:([45])(?:xx|\d\d))s?\b/g;
const OF_CODES = /\berror rates?\b|\bhttp errors?\b|\bstatus codes?\b/;
const ANY_CODE = /\banswer(?:s|ed) \d{3}\b|\berror rate\b/i;

/** The topic of the status codes that a question names: those codes only. */
function codesIn(asks: string): Topic | undefined {
  const codes = [...new Set((asks.match(CODE) ?? []).map((code) => code.replace(/s$/, '')))];
  if (codes.length === 0 && !OF_CODES.test(asks)) return undefined;
  const wanted = codes.map((code) => code.replace('xx', '\\d\\d')).join('|');
  const isWanted = new RegExp(
    `\\banswer(?:s|ed) (?:${wanted === '' ? '[45]\\d\\d' : wanted})\\b`,
    'i',
  );
  return {
    name: codes.length === 0 ? 'status codes' : `status ${codes.join(' and ')}`,
    asks: new RegExp(`${CODE.source}|${OF_CODES.source}`),
    shows: ANY_CODE,
    says: isWanted,
    isWanted,
  };
}

/** The names of tools as people write them: "the http probe". */
const TOOL =
  /\b(?:(?:tcp|http)[ _-]probe|dns[ _-]lookup|tls[ _-]certificate|host[ _-]resources|process[ _-]check|\w+[ _-]inspect)\b/;

/** Returns the topic of a question; undefined if it has none. */
export function topicIn(asks: string): Topic | undefined {
  const [tool] = TOOL.exec(asks) ?? [];
  if (tool === undefined) return codesIn(asks) ?? TOPICS.find((each) => each.asks.test(asks));
  const name = tool.replace(/[ -]/g, '_');
  const shows = new RegExp(`^${name}:`);
  return { name, asks: TOOL, shows, isWanted: shows };
}

/**
 * Whether a finding is about a topic: by its kind and its symptom, else by its title in the words
 * of its tool.
 */
export function isAbout(
  { kinds = [], symptoms = [], shows, says = shows }: Topic,
  { kind, symptom, title }: Pick<Finding, 'kind' | 'symptom' | 'title'>,
): boolean {
  if (kind !== undefined && kinds.includes(kind)) return true;
  if (symptom !== undefined && symptoms.includes(symptom)) return true;
  const isClear = kinds.length > 0 && kind !== undefined && kind !== 'unknown';
  return !isClear && says.test(ownWords(title));
}

/** Whether the reason for which a node could not be measured is about a topic. */
export const isReasonOf = ({ shows, says = shows }: Topic, reason: string): boolean =>
  says.test(ownWords(reason));

/** Whether a measurement is about a topic. */
export const isMeasuredOf = (
  { shows }: Topic,
  { tool, summary }: { tool: string; summary: string },
): boolean => shows.test(`${tool}: ${ownWords(summary)}`);
