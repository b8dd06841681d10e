const setOf = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(' ')));

/**
 * Words that any question may contain: they say nothing about what is asked, or they name what
 * every answer is about.
 */
export const BASE = setOf(
  'a an the our my your this that these those it its they them their there here anything something nothing everything all any some every both either neither nor whole entire completely',
  'i we you us me one ones what which s re ve d m',
  'is are was were be been being has have had do does did can could would should may might must let lets',
  'in on at to of for with from by about and or but so then now again please really actually ok okay well just also too still hey',
  'last latest newest root cause causes run runs diagnosis diagnoses execution executions topology topologies',
  'system systems node nodes service services site platform prod production id utc',
  'exactly actual exact currently app apps application applications component components',
);

const FAULTS =
  'erroring went gone wrong broken break breaks broke down fail fails failed failing failure failures unhealthy unwell slow unreachable affected error errors ' +
  'go goes empty blank dead offline unavailable unresponsive crash crashes crashed crashing restarting hang hangs hanging stuck frozen laggy sluggish overloaded flapping throwing throws returning giving refusing refused rejecting misbehaving weird strange slowly often ' +
  'issue issues problem problems trouble incident incidents outage outages degraded unstable flaky sick red fire burning open ongoing current active alert alerts alarm alarms symptom symptoms warning warnings';

const CODES = [
  '400',
  '401',
  '403',
  '404',
  '408',
  '409',
  '429',
  '500',
  '501',
  '502',
  '503',
  '504',
  '4xx',
  '5xx',
]
  .flatMap((code) => [code, `${code}s`])
  .join(' ');

/**
 * What is set or used up in a node: it is no subject of its own, and may be the name of a node as
 * well.
 */
const PARTS = setOf(
  'password passwords credential credentials secret secrets login permission permissions config configuration setting settings',
  'certificate certificates cert certs disk disks memory cpu dns network latency timeout timeouts queue queues connection connections',
);

export const isPart = (word: string): boolean => PARTS.has(word);

const NEXT_STEPS = setOf(
  FAULTS,
  'would how help roll rollback runbook runbooks playbook curl verify recover fix fixed solve solved repair repaired resolve resolved mend next step steps check do try first look recommend recommended',
  'comes prioritise prioritize renew replace rotate reissue free clear clean increase raise extend enlarge expand grow reduce lower drain purge flush reset unlock expired expiring',
  'left anything something recommendation recommendations suggest suggested suggestion suggestions advice advise remedy workaround mitigate mitigation solution get back give show where start begin look command commands thing things restart change use',
);

/** What a person may want to do. */
const ACTS = setOf(
  'if safe fine good wise idea have need must shall will would help helps just safely simply restart restarting reboot reload redeploy deploy revert rollback roll back stop start kill drain failover over flush purge renew rotate replace undo scale scaling up out upgrade patch add more replicas replica instances instance',
  'ignore skip wait leave close dismiss forget snooze postpone',
);

/** The further words that the questions of each kind may contain. */
export const WORDS = {
  open: setOf(
    'open go navigate take bring up page pages console settings conversations conversation chats chat home dashboard start list',
  ),
  diagnose: setOf(
    'will want like should retry rerun recheck check measure test try once more anew diagnose rediagnose investigate troubleshoot investigation start trigger launch kick off begin make another new fresh',
  ),
  accept: setOf('y yes yep yup yeah sure please go ahead proceed'),
  compare: setOf(
    FAULTS,
    'compare compared comparing comparison diff difference differences differ differs different differently changed change changes vs versus how two 2 both other previous between since before',
    'find found see saw finding findings verdict verdicts result results report show getting get gets got become becoming worse better than worsen worsening improve improved improving trend trends new',
    'today recovered reason worse share shared shares sharing common same similar healthy well fine good green normal worked working',
  ),
  nextSteps: new Set([...NEXT_STEPS, ...PARTS]),
  acts: new Set([...ACTS, ...PARTS, ...setOf(FAULTS)]),
  outlook: setOf(
    FAULTS,
    'how fine healthy good will when again itself alone recover recur fix fixed heal resolve resolved solved back up ok better work take long longer much until eta happen happens end',
  ),
  stability: setOf(FAULTS, 'how stable been really still again yet back up ok'),
  certainty: setOf(
    FAULTS,
    'healthy fine good up working',
    'why how trust rely believe sure certain confident reliable likely probable confidence certainty probability really absolutely very think high real true right false positive',
  ),
  suspects: setOf(
    FAULTS,
    'blame fault involved part culprit culprits because due caused by another rule ruled ruling out exclude excluded alternative alternatives suspect suspects suspected candidate candidates explanation explanations',
    'up slow other else cause reason possible list show',
  ),
  others: setOf(
    FAULTS,
    'else other others rest remaining apart only just one thing healthy fine good up working find found how see happen happened show list know',
  ),
  impact: setOf(
    FAULTS,
    'am will going want reboot reload kill drain redeploy roll rollback revert failover',
    'anyone anybody someone how many much notice notices noticed hit hurt ignore skip wait customer customers user users people else safe restart stop happen how bad severe serious critical who impact impacted impacts affected affects affect suffer suffers suffering blast radius if when goes dies stops happen happens break',
  ),
  repairs: setOf(
    'solved resolved fix fixed anyone anybody someone somebody repair repairs repaired approval approvals approve approved refuse refused ask asks asked wait waits waiting need needs open person change changes changed made show list pending',
  ),
  atTime: setOf(
    FAULTS,
    'healthy fine good well up working happen happens happened happening going find found finding findings status report reports result results summary root list show',
    'cancelled canceled running completed queued how many morning ran run',
  ),
  since: setOf(
    FAULTS,
    'going lasting gone long stay stayed remain remained healthy well fine good working work worked up last before earlier previously since when how long start started begin began begun happen happened first find found see seen detected ill already',
  ),
  recovered: setOf(
    FAULTS,
    'when recover recovered recovers come came back well ok okay fine healthy up good again fixed resolved solved repaired over stop stopped since now already yet',
  ),
  duration: setOf(
    'cancelled canceled how long old recent fresh stale outdated date up information info take took taken need needed duration done succeed succeeded success successful successfully complete completed find found report reported diagnose diagnosed over yet still when start started begin began end ended finish finished',
  ),
  states: setOf(
    FAULTS,
    'healthy fine good up works working not unaffected ill list show how many right currently moment total everywhere anywhere overall',
  ),
  checked: setOf(
    'why check checked checking look looked cover covers covered test tested measure measured probe probed unchecked skipped not missing healthy fine good up working how measurement measurements find found see show list worker workers agent agents',
  ),
  shape: setOf(
    'who how many kind describe draw diagram architecture show list depend depends depended depending dependency dependencies dependent dependents upstream downstream use uses used using need needs call calls called rely relies require requires talk talks connect connects',
  ),
  spent: setOf('how many much tokens token cost costs spend spent use used usage'),
  postmortem: setOf(
    'write draft create make generate prepare give show get export download save postmortem mortem post report reports markdown md file wiki ticket as incident outage need want',
  ),
  startedBy: setOf(
    'who why how triggered trigger started start starts asked ask reported report said say user users people customers person did was ran',
  ),
  first: setOf(FAULTS, 'who first died'),
  sent: setOf(
    'get got been already yet who page paged notify notified alerted inform informed tell told email emailed mail mailed wake woke woken up anyone anybody someone somebody people',
  ),
  runs: setOf(
    'list show when who why diagnosed checked check right moment under way underway progress recent most past previous history fail failed cancelled canceled running completed queued finished give latest how many two three four five six seven eight nine ten',
  ),
  topologies: setOf('list show know exist give how many'),
  log: setOf(
    'log logs logfile event events evidence proof prove raw show see give line lines measurement measurements shows shown proves worker workers agent agents',
  ),
  why: setOf(
    FAULTS,
    'full high low saturated exhausted throttled blocked locked leaking makes make believe sure healthy fine up why how come reason reasons know say says said report reported found find think happen happened suffer suffers working responding isn doesn not',
  ),
  everywhere: setOf(
    FAULTS,
    'up fine good healthy working green normal stable alright currently moment everywhere overall right',
    'situation clear not how many list things going unhealthy summary overview status verdict verdicts state health give show every each worst most urgent critical',
  ),
  only: setOf(
    FAULTS,
    'only just thing one ones part but except apart from other than besides else everyone healthy fine good up working work works not',
  ),
  measure: setOf(
    FAULTS,
    'good alright stable up alive reachable healthy fine working running available come responding doing check probe ping measure test how status state health condition right currently moment every not',
    'yet fixed resolved solved recovered back better over again going recover overall fix work works worked help helped restart rollback deploy change throwing crashing problem problems issue issues error errors',
  ),
  kinds: setOf('kind type sort'),
  isKind: setOf('service host database redis postgres mysql rabbitmq kafka elasticsearch tcp http'),
  path: setOf(
    'path paths way route chain connection connections between reach reaches connected get related how does show',
  ),
  teams: setOf(
    'who team teams agent agents work works working look looks after watch watches take takes care how many list show assigned',
  ),
  people: setOf(
    'who whom owns maintains responsible call oncall page contact ask phone wake up escalate talk',
  ),
  culprit: setOf(FAULTS, 'who broke changed caused did'),
  settings: setOf(
    'endpoint endpoints address addresses url urls port ports ip ips threshold thresholds attribute attributes show list host hosts run runs listen listens where',
  ),
  history: setOf(
    FAULTS,
    'when ill down up bad how often many times frequently happen happens happened occur occurs occurred seen before ever recurring already similar same kind',
  ),
  topic: setOf(
    ...PARTS,
    FAULTS,
    CODES,
    'anywhere everywhere change changed changes recent day days hour hours week weeks remain remaining until',
    'user users customer customers people fixed resolved solved repaired recovered gone over back renewed replaced better working works work up resolve resolves resolving reach reaches reachable reached get hung still yet',
    'bad why which what anything time outs long earlier before load overloaded laggy sluggish slowly slowness too takes number open pool pools slots limit limits maximum max count counts ever cause been slow fast quick quickly latency latencies response time times timeout timeouts out timing timed times certificate certificates cert certs tls ssl expire expires expired expiring valid invalid',
    'dns name resolution memory ram heap oom cpu cpus processor disk disks storage volume volumes full queue queues backlog lag consumer consumers deploy deploys deployed deployment deployments release released releases rollout commit commits',
    'network networking firewall connectivity connection connections reset resets packet packets version versions log logs rate rates http tcp redis postgres mysql kafka rabbitmq elasticsearch host process probe lookup inspect check resources',
    'ignore skip wait someone somebody anyone anybody usage use uses used using high low much many how leak leaking left free run running recent recently because due caused cause say said show find found measure measured see return returns returned answer answers respond responds code codes status between yesterday when available normal healthy fine good',
  ),
  explain: setOf(
    FAULTS,
    'happen happened happening going find finding findings found report reports result results summary matter blame explain detail details',
    'fix work worked back body help helped restart rollback deploy change up situation culprit culprits more who say says said tell where show give verdict verdicts know summarize summarise manager boss team management standup postmortem tldr tl dr conclusion conclude concluded affect affects rca return returns returned answer answers answered respond responds responded code get gets got message messages status caused causing cause come comes coming where measurement measurements measured worker workers agent agents',
  ),
  name: setOf('how same show give tell'),
  none: setOf(''),
} as const;

/** The words of pages and of details may be names as well: a node may be called `redis`. */
const {
  open: _pages,
  topic: _topic,
  settings: _settings,
  nextSteps: _steps,
  acts: _acts,
  isKind: _kinds,
  ...OF_DIAGNOSES
} = WORDS;
const COMMON = new Set(
  [BASE, NEXT_STEPS, ACTS, ...Object.values(OF_DIAGNOSES)].flatMap((words) => [...words]),
);

/** The words that are long enough to be recognized if they are misspelt. */
export const VOCABULARY: readonly string[] = [...new Set([...COMMON, ..._topic])].filter(
  (word) => word.length >= 2,
);

/** Whether a word is common in questions about diagnoses: any other word may be a name. */
export const isCommon = (word: string): boolean => COMMON.has(word);

/** Returns the words of a text. */
export const wordsIn = (text: string): string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
