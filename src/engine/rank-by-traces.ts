import { clipAtWord } from '../lib/text.js';
import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import type { Observations } from './observations.js';
import type { RankedCause } from './ranking.js';
import { quietUntilOf, type Span } from '../domain/telemetry/records.js';
import { kindOfText } from '../domain/failure-texts/kind-of-text.js';
import { stepsOfText } from './logs/steps-of-text.js';
import { isNew } from './logs/log-templates.js';
import { quoteLine } from './logs/said-in-line.js';
import { saturatedCauses } from './series/saturated-causes.js';
import { callsMoreOften } from './traces/fan-out.js';
import { latencyShares, type LatencyShare } from './traces/trace-latency.js';
import { brokenRules, ERROR_STATUS, type BrokenRule } from './traces/trace-rules.js';
import { buildTraces, type Trace } from './traces/trace-tree.js';
import { placeUntracedCalls } from './traces/untraced-callees.js';

/** Fewer spans than this are samples, and do not show what is usual. */
export const LEAST_SPANS = 200;
/** From this share of all time on, latency takes precedence over structure. */
const DECISIVE = 0.35;
const MOST_CAUSES = 10;
const MOST_TITLE = 200;
const MOST_QUOTED = 160;

/**
 * Ranks nodes by saturated resources, then by decisive latency, then by broken structure of their
 * spans.
 */
export function rankByTraces(seen: Observations): RankedCause[] {
  const spans = placeUntracedCalls(seen.spans, seen.nodes);
  const traces = buildTraces(spans, seen.frame);
  const best = new Map<string, RankedCause>();
  const others = new Map<string, string[]>();
  const add = (cause: RankedCause) => {
    const known = best.get(cause.node);
    const [stronger, weaker] =
      known && known.score >= cause.score ? [known, cause] : [cause, known];
    if (weaker && weaker.score > 0.1)
      others.set(cause.node, [...(others.get(cause.node) ?? []), ...weaker.for]);
    if (stronger.score > 0) best.set(cause.node, stronger);
  };
  saturatedCauses(seen.series, seen.frame).forEach(add);
  latencyShares(traces).forEach((share) =>
    add({ ...fromLatency(share, spans), ...loadOn(share.node, traces) }),
  );
  brokenRules(traces, (key) => seen.notes.get(key) ?? []).forEach((rule) =>
    add(fromRule(rule, { ...seen, spans })),
  );
  return [...best.values()]
    .map((cause) => ({
      ...cause,
      for: [...cause.for, ...(others.get(cause.node) ?? [])].slice(0, 6),
    }))
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_CAUSES);
}

function loadOn(node: string, traces: readonly Trace[]): Pick<RankedCause, 'loadedBy'> {
  const loadedBy = callsMoreOften(traces, node);
  return loadedBy.length > 0 ? { loadedBy } : {};
}

/**
 * Attributes of a span that is a query: OpenTelemetry semantic conventions, before and since 1.28.
 */
const OF_QUERY = ['db.system', 'db.system.name', 'db.statement', 'db.query.text'];

/** Whether an operation, `node|name`, is a query of a database. */
const isQuery = (operation: string, spans: readonly Span[]): boolean =>
  spans.some(
    ({ node = '', name, attributes }) =>
      `${node}|${name}` === operation && OF_QUERY.some((key) => attributes[key] !== undefined),
  );

function fromLatency(
  { node, share, ownShare, networkShare, worst }: LatencyShare,
  spans: readonly Span[],
): RankedCause {
  const onTheWay = networkShare > ownShare;
  const percent = Math.round(share * 100);
  return {
    node,
    kind: onTheWay ? 'network-delay' : isQuery(worst, spans) ? 'slow-query' : 'latency',
    score: share >= DECISIVE ? 4 + Math.min(1.5, share / 5) : share,
    confidence: share >= DECISIVE ? 0.85 : Math.min(0.3, share),
    title: onTheWay ? 'calls to and from it are slow' : 'is slow itself',
    for: [
      `requests spend ${percent} % more time ${onTheWay ? 'on the way to or from it' : 'in it'} than all of their usual time, most in ${worst.replace('|', ': ')}`,
    ],
    against: share < DECISIVE ? ['that is too little to explain slow requests'] : [],
  };
}

function fromRule(rule: BrokenRule, seen: Observations): RankedCause {
  const { node, score, operation, broken, incident, normal } = rule;
  const name = operation.slice(operation.indexOf('|') + 1);
  const what = (id: string) =>
    id === ERROR_STATUS ? statusOf(operation, seen) : describeItem(id, seen);
  const fails = 'error' in broken;
  const says = fails
    ? `${name}: ${what(broken.error)}`
    : `${name} no longer reaches: ${what(broken.missing)}`;
  const kind = kindOfRule(rule, says);
  return {
    node,
    kind,
    ...stepsOfText(kind, says),
    score: 3.9 * (1 - Math.exp(-Math.max(0, score) / 8)),
    confidence: Math.min(0.85, 0.2 + 0.65 * (1 - Math.exp(-Math.max(0, score) / 6))),
    title: clipAtWord(says, MOST_TITLE),
    for: [
      says,
      `in ${incident[0]} of ${incident[1]} spans of the incident, in ${normal[0]} of ${normal[1]} of normal time; nothing below it in those traces is broken`,
    ],
    against: score < 3 ? ['few spans show it'] : [],
  };
}

/** From this share of violations on, a property of them counts as a property of the rule. */
const MOST = 0.8;

/**
 * If an operation stops half-way and hardly anything complains, the request ended there: an
 * exception. If the callers continue, or fail because of the result, it returned something wrong. A
 * new error that names an exception counts, too.
 */
function kindOfRule({ broken, erring, goesOn, incident }: BrokenRule, says: string): FailureKind {
  if ('error' in broken && broken.error === ERROR_STATUS)
    return kindOfText(says)?.kind ?? 'exception';
  if ('error' in broken)
    return /exception|thrown?|panic|\w{2}Error\b/i.test(says) ? 'exception' : 'wrong-result';
  // It returned without a call that it always makes: for its caller, that is an answer.
  const returns = broken.missing.startsWith('call ') && goesOn >= MOST * incident[0];
  return returns || erring >= MOST * incident[0] ? 'wrong-result' : 'exception';
}

/** The reasons that the failed spans of an operation, or new errors in its node's logs, give. */
function statusOf(operation: string, { spans, templates, frame }: Observations): string {
  const isOf = ({ node = '', name }: Span) => `${node}|${name}` === operation;
  const reported = spans.find((span) => isOf(span) && Boolean(span.error))?.error;
  if (reported !== undefined) return reported;
  const node = operation.slice(0, operation.indexOf('|'));
  const quietUntil = quietUntilOf(frame);
  const line = templates.find(
    (each) => each.node === node && each.error && isNew(each, quietUntil),
  );
  return line === undefined ? 'it fails' : quoteLine(line.sample.body, MOST_LINE);
}

const MOST_LINE = 300;

/** A template's id as a line of it. */
function describeItem(id: string, { templates }: Observations): string {
  if (id.startsWith('call ')) return `the call of ${id.slice(5).replace('|', ': ')}`;
  const line = templates.find((template) => template.id === id)?.sample.body;
  return line === undefined ? id : `"${quoteLine(line, MOST_QUOTED)}"`;
}
