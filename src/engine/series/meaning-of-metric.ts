import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Series } from '../../domain/telemetry/records.js';

/** The meaning of a metric, as far as its name shows it. */
export interface MetricMeaning {
  /** The failure that its move in the bad direction shows. */
  kind: FailureKind;
  /** How specific it is to the cause, 0 to 1: consequences of many faults are unspecific. */
  tells: number;
  /** 1: more is worse, -1: less is worse. */
  worse: 1 | -1;
  /** Callers of a failing node show the same. */
  spreads: boolean;
}

interface Rule {
  pattern: RegExp;
  kind: FailureKind;
  tells: number;
  worse?: -1;
  spreads?: true;
}

/**
 * Names of metrics as Prometheus exporters (node_exporter, cAdvisor, kube-state-metrics, postgres,
 * mysqld, redis, kafka, nginx), Micrometer, the semantic conventions of OpenTelemetry, Istio, .NET,
 * Go, CloudWatch, Zabbix and the public data sets of incidents write them, in lower case with `_`
 * for every other character. The first rule that matches counts. The resources are those of the USE
 * method (Gregg, 2012); errors and durations, those of the RED method (Wilkie, 2015), show at
 * callers too.
 * @internal Exported for test/quality.
 */
// A table: one line for each row.
// prettier-ignore
export const METRIC_RULES: readonly Rule[] = [
  { kind: 'out-of-memory', tells: 0.95, pattern: /(^|_)oom/ },
  { kind: 'noisy-neighbour', tells: 0.95, pattern: /steal/ },
  { kind: 'network-policy', tells: 0.95, pattern: /drop\w*polic(y|ies)|polic(y|ies)_(denied|drop|reject)/ },
  { kind: 'infrastructure', tells: 0.9, pattern: /timex_offset|(clock|ntp|time)_?(skew|offset|drift)|time_minus_scrape/ },
  { kind: 'infrastructure', tells: 0.9, worse: -1, pattern: /timex_sync_status|(clock|ntp|chrony)\w*_(synced|synchroni[sz]ed)/ },
  // Sensors of machines: IPMI, SMART, DCGM, EDAC, hwmon, SNMP.
  { kind: 'infrastructure', tells: 0.95, worse: -1, pattern: /(^|_)fan(_|\d|$)|psu_?(status|ok)|(sm|mem|gpu|core)_clock|(cpu|scaling)_?freq/ },
  { kind: 'infrastructure', tells: 0.95, pattern: /thermal|temperature|(^|_)temp(_|$)|(power|reliability)_violation|uncorrect|correctable|(^|_)(ecc|edac|xid|mce)(_|$)|reallocated|media_(wear|error)|(frame|crc|fcs|symbol|alignment)_err/ },
  { kind: 'cpu-throttled', tells: 0.95, pattern: /cfs_throttled|cpu\w*throttl|throttl\w*cpu|nr_throttled/ },
  { kind: 'cpu-throttled', tells: 0.9, worse: -1, pattern: /cpu_?credit_?balance/ },
  { kind: 'capacity', tells: 0.9, worse: -1, pattern: /(burst|io|ebs_?\w{2,4})_?(credit_?)?balance/ },
  { kind: 'cpu-saturated', tells: 0.75, pattern: /event_?loop/ },
  { kind: 'capacity', tells: 0.6, pattern: /disk_?queue/ },
  { kind: 'cache', tells: 0.85, worse: -1, pattern: /hit_?(s_)?(ratio|rate|percent)|hits?_ratio/ },
  { kind: 'cache', tells: 0.85, pattern: /evict|miss(es)?(_|$)|cache_?misses/ },
  { kind: 'rate-limited', tells: 0.85, pattern: /throttl|(^|_)429|rate_?limit|too_many_requests|quota|resource_exhausted/ },
  { kind: 'lock', tells: 0.9, pattern: /deadlock|locks?_?(wait|time|contention|held)|row_lock|(blocked|waiting)_(sessions|queries|transactions)|(sessions|queries|transactions)_(blocked|waiting)|locks_count_mode_\w*exclusive|wait_time_(concurrency|application)/ },
  { kind: 'slow-query', tells: 0.8, pattern: /sql_(elapsed|buffer_gets|disk_reads)|full_(table_)?scans?(_|$)|full_scans_per|max_tx_duration/ },
  // The rate at which messages leave a queue depends on its readers.
  { kind: 'queue-lag', tells: 0.5, worse: -1, spreads: true, pattern: /(queue|rabbitmq|amqp|sqs|broker)(\w*_)?(acks?|acknowledged|deliver(y|ed|ies)?|consumed?|dequeued?)_?(rate|total|count|per)/ },
  { kind: 'queue-lag', tells: 0.8, spreads: true, pattern: /(^|_)lag(_|$)|consumer\w*lag|backlog|back_?pressur|oldest_?message|age_?of_?oldest|number_?of_?messages|messages_(ready|unack\w*|visible|pending)|redeliver|requeue|unack(ed|nowledged)?(_|$)|(^|_)nack(s|ed)?(_|$)|dead_?letter|(^|_)dlq(_|$)|queue_(size|length|depth|messages|age)|queue\w*_(size|length|depth)/ },
  { kind: 'connection-pool-exhausted', tells: 0.8, pattern: /hikaricp|pool|connections?_(active|pending|waiting|in_use|used)|data_?source_(in_?use|wait|timed_?out|blocking)|client_connections?|pg_stat_activity|threads_connected|database_?connections|num_?backends|sess(ions?)?_(active|connect(ed)?|used)|(active|used)_sess(ions?)?|proc(ess(es)?)?_(user_)?used_p(ct|ercent)/ },
  { kind: 'disk-full', tells: 0.85, worse: -1, pattern: /(fs|filesystem|disk|volume|storage|inodes?|tablespace)\w*(avail|free)|free_?(storage|disk)/ },
  { kind: 'network-delay', tells: 0.85, pattern: /retrans|packet_?loss|jitter|(receive|transmit|network|packets)\w*drop|(receive|transmit|received|sent|net\w*_in|net\w*_out)_err|(^|_)rtt(_|$)/ },
  { kind: 'capacity', tells: 0.6, pattern: /iowait|io_?time|(io|disk|dsk)\w*_(await|svctm|busy)|avgqu|user_io(_|$)|physical_reads|disk_?io|(fs|disk)\w*(reads?|writes?|written)|iops/ },
  { kind: 'disk-full', tells: 0.85, pattern: /(fs|filesystem|disk|volume|storage|inodes?|tablespace|tbs)\w*(us(ed|age)|util|percent|full)|(fs|filesystem)\w*_capacity$/ },
  { kind: 'retry-storm', tells: 0.7, pattern: /retr(y|ies)(?!\w*(exhaust|fail))|attempts_per/ },
  { kind: 'memory-leak', tells: 0.5, pattern: /(^|_)fgct?(_|$)|gc_(pause|duration|time)|gc\w*seconds|time_in_gc/ },
  { kind: 'memory', tells: 0.7, worse: -1, pattern: /mem\w*(avail|free)|freeable_?mem/ },
  { kind: 'memory', tells: 0.7, pattern: /(?!.*(_limit|_max)(_bytes)?(_|$))(mem(ory)?(_|$)|memstats|memory|heap|(^|_)rss|working_?set)/ },
  { kind: 'capacity', tells: 0.7, pattern: /sockstat\w*_tw(_|$)|time_?wait/ },
  { kind: 'capacity', tells: 0.7, pattern: /open_?fds|file_?desc|open_?files/ },
  { kind: 'capacity', tells: 0.45, pattern: /(^|_)sockets?(_|$)|threads?|goroutines|thread_?pool/ },
  // A program that waits for the processor may run on a machine that others keep busy (pressure
  // stall information of Linux).
  { kind: 'cpu-saturated', tells: 0.75, spreads: true, pattern: /pressure_cpu|cpu_pressure|run_?queue/ },
  { kind: 'cpu-saturated', tells: 0.75, worse: -1, pattern: /cpu\w*_idle(_|$)/ },
  { kind: 'cpu-saturated', tells: 0.75, pattern: /cpu|processor|load_?(avg|average|1|5)(_|$)|(system|node|host|os)_load$/ },
  { kind: 'load', tells: 0.45, pattern: /(quer(y|ies)|questions|statements|transactions|commands|ops)_(per_\w+|rate|total|count)(_|$)|status_(queries|questions)$/ },
  { kind: 'slow-query', tells: 0.7, pattern: /quer(y|ies)|exec_time|statement|rows_(examined|read|fetched)|seq_?scan|slow_queries/ },
  { kind: 'crash-loop', tells: 0.55, pattern: /restart/ },
  { kind: 'timeout', tells: 0.5, spreads: true, pattern: /time_?outs?(_|$)|deadline_exceeded|(^|_)504(_|$)/ },
  { kind: 'auth', tells: 0.3, spreads: true, pattern: /(code|status)_40[13](_|$)|unauthenticated|permission_denied|unauthori[sz]ed|forbidden/ },
  { kind: 'unreachable', tells: 0.15, worse: -1, spreads: true, pattern: /replicas|ready|(^|_)up$|healthy_?(host|target)/ },
  { kind: 'exception', tells: 0.2, worse: -1, spreads: true, pattern: /(?<!un)availab|(?<!un)succe|(^|_)[sr]r$/ },
  { kind: 'crash', tells: 0.8, pattern: /(^|_)panics?(_|$)/ },
  { kind: 'exception', tells: 0.2, spreads: true, pattern: /(?<!no_?)err(or)?s?(_|$)|5xx|_5\d\d(_|$)|class_5(_|$)|code_(internal|unknown|data_loss|aborted)|unavailab|servfail|fail|exception|unhealthy/ },
  { kind: 'load', tells: 0.2, spreads: true, pattern: /(duration|latency|seconds|milliseconds|_ms|_time)_count(_|$)/ },
  { kind: 'latency', tells: 0.25, spreads: true, pattern: /latenc|(^|_)lat(_|$)|duration|(response|request|process(ing)?|result|service|avg|average|mean)_?time|elapsed|(^|_)m?rt$|seconds_p\d|_p\d\d(_|$)/ },
  { kind: 'load', tells: 0.2, spreads: true, pattern: /requests?|rps|qps|(^|_)tps(_|$)|(^|_)ops|calls?(_|$)|messages|throughput|workload|(^|_)load$|(^|_)(mcr|cnt)$|^(num|count)$|(exec|commit|transaction|login)s?_per_/ },
  // The amount of network traffic grows with the requests.
  { kind: 'load', tells: 0.2, spreads: true, pattern: /(^|_)traffic(_|$)|bandwidth|net(work)?_\w*(receive|transmit|sent|in(_|$)|out(_|$)|packets?|bytes)|(received|sent|transmitted)_(packets|bytes)/ },
];

/** A name in lower case, its words apart by `_`: `CPUUtilization`, `http.server.duration`. */
export const plainName = (name: string): string =>
  name
    .slice(0, 300)
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/(?<=[A-Z])(?=[A-Z][a-z])/g, '_')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');

/**
 * Labels that select the part of a count that a series has: the outcome of a request, the mode of a
 * processor.
 */
const PARTS =
  /(^|[._])(mode|state|status|status_?code|code|(code|status)_?class|rcode|reason|result|outcome)$/i;

/**
 * The name of a metric with the labels that change its meaning: `http_requests_total{code="500"}`.
 */
export function nameOfSeries({ name, labels }: Pick<Series, 'name' | 'labels'>): string {
  const parts = Object.entries(labels).filter(([label]) => PARTS.test(label));
  return parts.length === 0
    ? name
    : `${name}{${parts.map(([label, value]) => `${label}="${value.slice(0, 60)}"`).join(',')}}`;
}

/** The limit of a resource, and not its use. */
const LIMIT =
  /(^|_)(limits?|quota_hard|maximum|allowed)(_|$)|(connections?|clients|sessions|threads?|fds|pool|heap|slots|workers)_max(_|$)|(^|_)max_?(connections|clients|sessions|threads|fds|open_files|pool|heap|workers)/;
const OF_LIMIT = /exceed|hits?(_|$)|reach|reject|throttl|wait|denied|rate_?limit|errors?|fail|used/;

/**
 * Whether a metric is the limit of a resource: it is configured, and falls only if the
 * configuration is lowered.
 */
export function isLimit(name: string): boolean {
  const text = plainName(name);
  return LIMIT.test(text) && !OF_LIMIT.test(text);
}

/** The meaning of a metric's name; undefined for a name without one. */
export function meaningOf(name: string): MetricMeaning | undefined {
  const text = plainName(name);
  const rule = METRIC_RULES.find(({ pattern }) => pattern.test(text));
  if (rule === undefined) return undefined;
  const { kind, tells, worse = 1, spreads = false } = rule;
  return isLimit(name)
    ? { kind, tells, worse: -1, spreads: false }
    : { kind, tells, worse, spreads };
}

const FAILURES: ReadonlySet<FailureKind> = new Set([
  'exception',
  'auth',
  'rate-limited',
  'timeout',
]);
const REFUSED = /(code|status|class|http)_4(\d\d|xx)?(_|$)|(^|_)4xx(_|$)/;

/** Whether a series counts answers that reject the request as wrong. */
export const countsRefusals = (series: Pick<Series, 'name' | 'labels'>): boolean =>
  REFUSED.test(plainName(nameOfSeries(series)));

/**
 * Whether a series counts requests that failed or were refused: it grows with a failure, and does
 * not show the number of requests.
 */
export function countsFailures(series: Pick<Series, 'name' | 'labels'>): boolean {
  const name = nameOfSeries(series);
  const kind = meaningOf(name)?.kind;
  return (kind !== undefined && FAILURES.has(kind)) || countsRefusals(series);
}
