/** What questions ask about apart from systems: a quantity, a kind of trouble, a tool. */
export interface Topic {
  /** Follows "about": "memory". */
  name: string;
  /** Matches a question about it. */
  asks: RegExp;
  /** Matches the text of a finding or a measurement that is about it. */
  shows: RegExp;
}

const CODES = '(?:4\\d\\d|5\\d\\d|[45]xx)';

/** The first topic that matches a question wins. */
const TOPICS: readonly Topic[] = [
  {
    name: 'credentials',
    asks: /\b(?:passwords?|credentials?|secrets?|logins?|permissions?)\b/,
    shows:
      /\bpasswords?\b|\bcredentials?\b|\bsecrets?\b|\blog ?ins?\b|\bpermissions?\b|\bauth\w*|\bdenied\b|\b40[13]\b/i,
  },
  {
    name: 'response times',
    asks: /\bhow (?:slow|fast|quick\w*)\b|\blatenc(?:y|ies)\b|\bresponse times?\b/,
    shows: /\b\d+(?:\.\d+)? (?:ms|s)\b|\bslow|\blatency/i,
  },
  {
    name: 'time-outs',
    asks: /\btime-?outs?\b|\btim(?:ed|es|ing) out\b/,
    shows: /\btime-?outs?\b|\btimed out\b|\bno answer\b|\bnot answer/i,
  },
  {
    name: 'certificates',
    asks: /\bcert(?:ificate)?s?\b|\btls\b|\bssl\b/,
    shows: /\bcertificates?\b|\btls\b/i,
  },
  {
    name: 'DNS',
    asks: /\bdns\b|\bname resolution\b/,
    shows: /\bdns\b|\bhost names?\b|\bresolves?\b/i,
  },
  {
    name: 'memory',
    asks: /\bmemory\b|\bram\b|\bheap\b|\boom\b/,
    shows: /\bmemory\b|\bheap\b|\bOOM\b|\bRSS\b/i,
  },
  {
    name: 'processor time',
    asks: /\bcpus?\b|\bprocessors?\b/,
    shows: /\bcpus?\b|\bprocessors?\b|\bload average\b/i,
  },
  {
    name: 'disks',
    asks: /\bdisks?\b|\bstorage\b|\bvolumes?\b/,
    shows: /\bdisks?\b|\bvolumes?\b|\bno space\b|\bstorage\b/i,
  },
  {
    name: 'queues',
    asks: /\bqueues?\b|\bbacklog\b|\blag\b|\bconsumers?\b/,
    shows: /\bqueues?\b|\bbacklog\b|\blag\b|\bconsumers?\b/i,
  },
  {
    name: 'changes',
    asks: /\b(?:deploy(?:s|ed|ing|ment|ments)?|releases?d?|rollouts?|commits?)\b/,
    shows: /\bdeploy\w*|\brelease\b|\brollout\b|\bcommits?\b|\bchanged?\b/i,
  },
  {
    name: 'the network',
    asks: /\bconnections?\b|\bnetwork(?:ing)?\b|\bfirewalls?\b|\bconnectivity\b|\bpackets?\b/,
    shows: /\bnetwork\b|\bconnections?\b|\bunreachable\b|\bfirewall\b|\bpackets?\b/i,
  },
  {
    name: 'logs',
    asks: /\b(?:in|from) (?:the |its |their )?logs?\b/,
    shows: /\blogs?\b|\blog (?:lines?|patterns?)\b/i,
  },
  {
    name: 'status codes',
    asks: new RegExp(`\\b${CODES}s?\\b|\\berror rates?\\b|\\bhttp errors?\\b`),
    shows: /\banswer(?:s|ed) \d{3}\b|\berror rate\b|\b[45]xx\b/i,
  },
];

/** The names of tools as people write them: "the http probe". */
const TOOL =
  /\b(?:(?:tcp|http)[ _-]probe|dns[ _-]lookup|tls[ _-]certificate|host[ _-]resources|process[ _-]check|\w+[ _-]inspect)\b/;

/** Returns the topic of a question; undefined if it has none. */
export function topicIn(asks: string): Topic | undefined {
  const [tool] = TOOL.exec(asks) ?? [];
  if (tool === undefined) return TOPICS.find((each) => each.asks.test(asks));
  const name = tool.replace(/[ -]/g, '_');
  return { name, asks: TOOL, shows: new RegExp(`^${name}:`) };
}
