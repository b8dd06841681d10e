import { clipAtWord } from '../../lib/text.js';
import { nodesNamedInLine } from '../logs/named-in-line.js';
import type { ExternalCause, ExternalKind } from './external-cause.js';
import { foreignFailures, remoteFailures } from './foreign-failures.js';
import { pagesIn } from './status-pages.js';
import { beyondTraffic, isTraffic } from '../series/beyond-traffic.js';
import { showNumber } from '../stats.js';
import type { MovedSeries, Observations, Anomalies } from '../observations.js';
import type { FaultText } from '../symptoms.js';

interface TextRule {
  kind: ExternalKind;
  strength: number;
  pattern: RegExp;
}

/**
 * Words in telemetry that show an external cause. Strength: how rarely they have another meaning.
 * @internal Exported for test/quality.
 */
export const EXTERNAL_RULES: readonly TextRule[] = [
  {
    kind: 'certificate-expired',
    strength: 0.95,
    pattern:
      /(certificate|cert|x509)[^.]{0,60}(expired|not yet valid|not ?after)|(expired|not ?after)[^.]{0,40}(certificate|cert\b)/i,
  },
  {
    kind: 'dns',
    strength: 0.85,
    pattern:
      /no such host|NXDOMAIN|SERVFAIL|EAI_AGAIN|ENOTFOUND|getaddrinfo|\bdns\b|dns_|name resolution|lookup \S+ on \S+:53|cannot resolve host/i,
  },
  {
    kind: 'provider-outage',
    strength: 0.8,
    pattern:
      /\b(third[- ]?party|upstream provider|provider (outage|error|unavailable|degrad|returned|status)|vendor|external (api|service|provider))\b|status ?page|api\.[a-z0-9-]+\.(com|io|net|ai)|[a-z0-9-]\.amazonaws\.com/i,
  },
  {
    kind: 'region',
    strength: 0.8,
    pattern:
      /\b(us|eu|ap|sa|ca|me|af)-(east|west|north|south|central|northeast|southeast|northwest|southwest)-\d[a-d]?\b|availability zone|\baz\b|region(al)? (impair|outage|degrad|unavail|event)/i,
  },
  {
    kind: 'infrastructure',
    strength: 0.85,
    pattern:
      /noisy neighbou?r|cpu[ _]steal|steal[ _](time|ratio|pct|percent)|node (pressure|not ready|notready|unhealthy|drain)|disk ?pressure|memory ?pressure|pod[^.]{0,30}evicted|evict\w{0,8} pod|preempt|hypervisor|host (maintenance|failure|degrad)|hardware|kernel:|throttled_by_(node|host)|cgroup|co-?(located|tenant|scheduled)|runqueue|mode="steal"|steal_|node_pressure/i,
  },
  {
    kind: 'bad-data',
    strength: 0.8,
    pattern:
      /poison|malformed (record|message|row|payload|event)|corrupt(ed)? (record|message|row|data|segment|block)|(stuck|blocked|failing|retry\w{0,8}|replay\w{0,8}|crash\w{0,8}|cannot|failed)[^.]{0,60}(same )?(offset|record|message id|partition \d+)[^a-z]{0,4}\d+|invalid utf|bad (record|row|payload)/i,
  },
  {
    kind: 'credential',
    strength: 0.8,
    pattern:
      /(api key|credential|secret|token|password|licen[cs]e|subscription|account|card)s?[^.]{0,40}(revoked|expired|suspended|rotated|disabled by|deactivated)/i,
  },
  {
    kind: 'surge',
    strength: 0.85,
    pattern:
      /traffic (surge|spike|burst)|surge|flash (sale|crowd)|organic|request (volume|rate)[^.]{0,30}(above|over|exceed|x\b)|campaign|load (spike|surge)|bot traffic|crawler|ddos|influx of/i,
  },
];
const LEAST_WEIGHT = 0.7;
/**
 * The name server works, and rejects the content of the zone: its signatures (RFC 4035; the
 * extended errors of RFC 8914).
 */
const REFUSED_ANSWER = /\bDNSSEC\b|\bRRSIG\b|\bDNSKEY\b|signature (expired|not yet valid)/i;

/**
 * Causes outside of any change, strongest first: by words of the telemetry, status pages, foreign
 * hosts, and traffic that leads.
 */
export function externalCauses(
  seen: Observations,
  anomalies: Anomalies,
  texts: readonly FaultText[],
): ExternalCause[] {
  const strongest = new Map<ExternalKind, ExternalCause>();
  const add = (cause: ExternalCause | undefined) => {
    if (cause && cause.strength > (strongest.get(cause.kind)?.strength ?? 0))
      strongest.set(cause.kind, cause);
  };
  const strong = texts.filter(({ weight }) => weight >= LEAST_WEIGHT);
  const isOfDown = nameOfDown(seen, texts);
  for (const { kind, strength, pattern } of EXTERNAL_RULES) {
    // Cluster events have their own rules: a scheduler that mentions preemption reports no failed
    // machine. A certificate is the same everywhere. The name of a metric reports nothing, except
    // what machines lack.
    const read = strong.filter(
      ({ from }) =>
        (from !== 'cluster' || kind === 'certificate-expired') &&
        (from !== 'metric' || kind === 'infrastructure'),
    );
    const heard = read.filter(({ text }) => pattern.test(text));
    const found = firstHeard(kind === 'dns' ? failedLookups(heard, isOfDown) : heard);
    if (found)
      add({
        kind,
        strength,
        says: found.text,
        ...(found.node !== undefined && { node: found.node }),
      });
  }
  seen.status.flatMap(({ document }) => pagesIn(document)).forEach((page) => add(fromPage(page)));
  foreignFailures(seen, anomalies).forEach(add);
  remoteFailures(seen, anomalies).forEach(add);
  add(leadingTraffic(seen, anomalies));
  return [...strongest.values()].sort((a, b) => b.strength - a.strength);
}

/**
 * Records about a zone with rejected signatures explain better than an alert why its names are not
 * resolved.
 */
function failedLookups(
  heard: readonly FaultText[],
  isOfDown: (text: string) => boolean,
): FaultText[] {
  const isRefused = heard.some(({ text }) => REFUSED_ANSWER.test(text));
  return heard.filter(
    ({ text, from }) =>
      !isOfDown(text) && !REFUSED_ANSWER.test(text) && !(isRefused && from === 'alert'),
  );
}

/** Whether a text names a node that the cluster reports as down: a pod's name ends with the pod. */
function nameOfDown(
  { nodes }: Observations,
  texts: readonly FaultText[],
): (text: string) => boolean {
  const down = new Set(texts.flatMap(({ from, node }) => (from === 'cluster' ? [node] : [])));
  return (text) => down.size > 0 && nodesNamedInLine(text, nodes).some((id) => down.has(id));
}

/** An alert repeats a person's earlier assumption: records are better evidence. */
const firstHeard = (texts: readonly FaultText[]): FaultText | undefined =>
  texts.find(({ from }) => from !== 'alert') ?? texts[0];

/** A cause that others report, in the words of the node itself, if it reports it too. */
export function inOwnWords(
  cause: ExternalCause,
  node: string | undefined,
  texts: readonly FaultText[],
): ExternalCause {
  const pattern = EXTERNAL_RULES.find(({ kind }) => kind === cause.kind)?.pattern;
  if (cause.node === node || pattern?.test(cause.says) !== true) return cause;
  const own = texts.find(
    (each) => each.node === node && each.from === 'log' && pattern.test(each.text),
  );
  return own ? { ...cause, says: own.text } : cause;
}

const PAGE_OF_INCIDENTS =
  /outage|degraded|disruption|investigating|identified|elevated|impair|major|partial|incident/i;
const NO_INCIDENT = /"incidents":\s*\[\]/;
const CALM_PAGE = /"(status|state|impact|severity)":\s*"(operational|none|resolved|ok)"/i;
const LOOKED_AT = 20_000;

function fromPage(page: unknown): ExternalCause | undefined {
  const text = JSON.stringify(page).slice(0, LOOKED_AT);
  if (!PAGE_OF_INCIDENTS.test(text) || NO_INCIDENT.test(text)) return undefined;
  const calm = CALM_PAGE.test(text) && !/outage|degrad|impair|elevated/i.test(text);
  return {
    kind: 'provider-outage',
    strength: calm ? 0.2 : 0.9,
    says: `status page: ${clipAtWord(text, 300)}`,
  };
}

const SURGE = 1.8;
const BUSIER = 1.5;
const LEAD_MS = 90_000;

/**
 * More traffic that came before everything else. Not if a caller of this node receives no more
 * traffic itself: then one request makes more calls than before, which a change has caused.
 */
function leadingTraffic(
  { nodes, series }: Observations,
  { moved, appeared }: Anomalies,
): ExternalCause | undefined {
  const grown = ({ onset }: MovedSeries, factor: number) =>
    onset.direction > 0 && onset.from > 0 && onset.to > factor * onset.from;
  const [rate] = moved
    .filter((each) => grown(each, SURGE) && isTraffic(each))
    .sort((a, b) => a.onset.at - b.onset.at);
  if (rate === undefined) return undefined;
  const busier = new Set(
    moved.filter((each) => isTraffic(each) && grown(each, BUSIER)).map(({ node }) => node),
  );
  const watched = new Set(series.map(({ node }) => node));
  const fanOut = nodes.some(
    ({ id, dependsOn }) =>
      dependsOn.includes(rate.node ?? '') && !busier.has(id) && watched.has(id),
  );
  if (fanOut) return undefined;
  const { from, to, at } = rate.onset;
  // Later traffic is repeated attempts.
  const starts = [
    ...beyondTraffic(moved, series).map(({ onset }) => onset.at),
    ...appeared.filter(({ error }) => error).map(({ first }) => first),
  ];
  if (starts.some((start) => start < at - LEAD_MS)) return undefined;
  return {
    kind: 'surge',
    strength: 0.75,
    says: `${rate.name} of ${rate.node ?? 'the system'} went from ${showNumber(from)} to ${showNumber(to)} before any failure`,
    at,
    ...(rate.node !== undefined && { node: rate.node }),
  };
}
