/**
 * The fault that a text of the failure (alert, log line, span, name of a series) states. A text may
 * show several symptoms. The words are those that runtimes, databases, proxies and cloud services
 * use in their messages. A status code may be between underscores, as in `http_400_ratio`. A word
 * that is a part of ordinary words (`lag` of `flag`) must begin, and often end, where the letters
 * do.
 */
export const SYMPTOM_PATTERNS = {
  crash:
    /nil pointer|null ?pointer|NoneType|undefined is not|cannot read propert|segfault|sigsegv|panic(?!ked lock)|index out of (range|bounds)|traceback|unhandled|nilderef|TypeError|KeyError|AttributeError|core dumped|divide by zero|stack overflow/i,
  startup:
    /crashloop|failed to start|startup|duplicate registration|incompatible|cannot load|boot(strap)? fail|ready.?replicas|pod_restart|config(uration)? (error|invalid|missing)|missing (required )?(env|variable|config)/i,
  oom: /(?<![a-z])oom(?![a-z])|(?<![a-z])oom_?kill|SystemOOM|out of memory|memory limit|exit(ed)? (code )?137|heap (growing|exhaust)/i,
  memory: /memory|(?<!c)heap|(?<![a-z])rss(?![a-z])|gc pause|(?<!b)leak/i,
  pool: /(?<!s)pool|too many (connections|clients)|connection(s)? (limit|exhaust|slots)|acquir\w+ connection|max_connections|no (free|available) (connection|worker|thread)|semaphore|(?<![a-z])in_use(?![a-z])/i,
  timeout: /timed?[ _-]?outs?(?![a-z])|deadline|timeout|took too long|(?<![a-z\d])504(?![a-z\d])/i,
  latency: /latency|duration|slow|(?<![a-z\d])p9(0|5|99?)(?!\d)|response time/i,
  queries: /quer(y|ies)_?(count|per)|queries per|n\+1|SELECT .* FROM/i,
  throttle:
    /throttl|ThroughputExceeded|rate.?limit|(?<![a-z\d])429(?![a-z\d])|too many requests|(?<!(exceeded|failed) )quota|capacity exceed|exceeded .*capacity|resource.?exhausted|provisioned/i,
  load: /(requests|(?<![a-z])(rps|qps|calls|ops))[ _]?(per|total|rate)|fan.?out|surge|storm|amplif|spike/i,
  deser:
    /deseriali[sz]|unmarshal|decod(e|ing)|(?<!s)pars(e|ing)|malformed|missing (required )?field|un(known|recogni[sz]ed) (field|property)|invalid (json|proto|type|format|payload|envelope)|schema mismatch|unexpected token|marshal/i,
  schema:
    /relation .* does not exist|no such (table|column)|unknown column|undefined (table|column)|missing[_ ]table|column .* does not exist|migration|schema/i,
  notfound:
    /not found|(?<![a-z\d])404(?![a-z\d])|no such|unknown (agent|route|method|handler|key|topic)|not registered|unregistered|missing registration|unimplemented/i,
  auth: /(?<![a-z\d])40[13](?![a-z\d])|unauthori[sz]ed|forbidden(?!: (exceeded|failed) quota)|permission|access.?denied|invalid (token|signature|audience|credential)|expired token|jwt|rbac/i,
  tls: /x509|certificate|(?<![a-z])(m?tls|(open)?ssl)|handshake/i,
  dns: /no such host|nxdomain|servfail|name resolution|dns|(?<!be )resolve(?!d)|not be resolved|EAI_AGAIN|getaddrinfo/i,
  refused:
    /connection refused|ECONNREFUSED|unreachable|unavailable|no route|connection reset|broken pipe|(failed|unable) to (open (a )?(TCP )?connection|connect)|Net::OpenTimeout|\bconnect(ion)?(failed|error)\b|(could not|cannot) connect|connect[ _-]?time(d )?out/i,
  readonly:
    /read.?only (transaction|replica|standby|mode|database)|can't write against a read only|not (the |a )?(master|primary|leader)\b|NotWritablePrimary|NOT_LEADER/i,
  queue:
    /(?<![a-z]|event.?loop[ _])lag(s|ged|ging)?(?![a-z])|(consumer|replica(tion)?)lag|backlog|queue|oldest.?message|not acking|consumer|(?<!(timex|clock|time)[ _])offset|rebalanc/i,
  skew: /hot (partition|shard|key)|(?<!clock.?)skew|imbalanc|single partition|partition/i,
  cpu: /cpu|busy loop|(?<![a-z])spin(s|ning|lock)?(?![a-z])|event.?loop/i,
  dbcpu:
    /db[._]?cpu|full (table )?scan|seq(uential)? scan|rows_examined|missing index|slow query|query (time|took)/i,
  disk: /(?<!re)disk(?! i\/o error)|no space|inode|volume (full|usage)|enospc/i,
  fd: /too many open files|file descriptor|(?<![a-z])emfile/i,
  ports: /EADDRNOTAVAIL|cannot assign requested address|time_?wait|sockstat\w*_tw\b/i,
  lock: /deadlock|(?<![bc])locks?[ _](wait|timeout|timed|acquire|contention)|(?<![a-z])wait(s|ed|ing) for .{0,40}(?<![bc])lock|(sessions|queries|transactions)_waiting|waiting_(sessions|queries|transactions)|could not obtain lock|serializ\w+ failure|mutex/i,
  conflict:
    /conflict|(?<![a-z])cas(?![a-z])|compare.and.swap|optimistic|version mismatch|(?<![a-z])txn|transaction/i,
  retry: /retr(y|ies)|attempt|budget exhausted|gave up/i,
  restart: /restart|liveness|readiness|unhealthy|(?<!s)killed/i,
  cache: /cache|miss(es)? ratio|hit (ratio|rate)|stampede|evict/i,
  wrong:
    /wrong|incorrect|mismatch|inconsisten|checksum|negative|duplicate (charge|order)|unexpected (value|result)|plausib|discrepan|outlier|unrealistic/i,
  clock:
    /clock.{0,20}(skew|drift|offset|wrong|ahead|behind)|timex_offset|(ntp|chrony)\w*_offset|used before issued|not yet valid|\bin the future\b/i,
  client:
    /(?<![a-z\d])4(00|22)(?![a-z\d])|4xx|bad request|(?<!in)validation|unprocessable|invalid (argument|request|input)/i,
  error: /(?<![a-z\d])5\d\d(?![a-z\d])|5xx|error|exception|fail/i,
} as const satisfies Record<string, RegExp>;

export type TextSymptom = keyof typeof SYMPTOM_PATTERNS;

/**
 * Words that follow from many faults, or that names of services and metrics often contain, weigh
 * less than specific ones.
 */
const GENERAL: Partial<Record<TextSymptom, number>> = {
  latency: 0.5,
  load: 0.6,
  timeout: 0.7,
  memory: 0.7,
  queue: 0.7,
  cpu: 0.7,
  cache: 0.8,
  refused: 0.8,
  client: 0.8,
};

/** How specific a symptom is to its cause, 0 to 1. */
export const specificityOf = (symptom: TextSymptom): number => GENERAL[symptom] ?? 1;

const IN_WORDS: Readonly<Record<TextSymptom, string>> = {
  crash: 'crashes',
  startup: 'failed starts',
  oom: 'running out of memory',
  memory: 'growing memory',
  pool: 'a lack of connections',
  timeout: 'timeouts',
  latency: 'slow answers',
  queries: 'many queries',
  throttle: 'throttled requests',
  load: 'more load',
  deser: 'messages that cannot be read',
  schema: 'a schema that does not fit',
  notfound: 'unknown names',
  auth: 'refused access',
  tls: 'refused certificates',
  dns: 'failed lookups',
  refused: 'refused connections',
  readonly: 'refused writes',
  queue: 'a backlog',
  skew: 'uneven partitions',
  cpu: 'a busy processor',
  dbcpu: 'a busy database',
  disk: 'a full disk',
  fd: 'a lack of file descriptors',
  ports: 'a lack of local ports',
  lock: 'waits for locks',
  retry: 'retries',
  conflict: 'conflicts',
  restart: 'restarts',
  cache: 'cache misses',
  wrong: 'wrong results',
  clock: 'times that are wrong',
  client: 'refused requests',
  error: 'errors',
};

export const inWords = (symptom: TextSymptom): string => IN_WORDS[symptom];

/** A text that reports the failure, and its weight, 0 to 1. */
export interface FaultText {
  text: string;
  weight: number;
  node?: string;
  /** When the stated fault began, for a text of the cluster that has a time. */
  since?: number;
  /** `operation`: the name of a slow span, which does not state a fault. */
  from: 'alert' | 'log' | 'span' | 'operation' | 'metric' | 'cluster' | 'pattern';
}

/** A number with a unit is no status: "above 400 ms". */
const QUANTITY = /(?<![\w.])\d+ ?([mµn]?s|sec(onds?)?|[kmgt]i?b|bytes)(?![a-z])/gi;

/** How strongly each symptom shows, 0 to 1: independent texts add up as 1 − Π(1 − 0.7 · weight). */
export function symptomStrengths(texts: readonly FaultText[]): Map<TextSymptom, number> {
  const strengths = new Map<TextSymptom, number>();
  const unmeasured = texts.map((each) => ({ ...each, text: each.text.replace(QUANTITY, ' ') }));
  for (const [symptom, pattern] of Object.entries(SYMPTOM_PATTERNS) as [TextSymptom, RegExp][]) {
    const missed = unmeasured
      .filter(({ text }) => pattern.test(text))
      .reduce((product, { weight }) => product * (1 - 0.7 * weight), 1);
    if (missed < 1) strengths.set(symptom, 1 - missed);
  }
  return strengths;
}
