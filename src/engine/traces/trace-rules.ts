import { callerGoesOn, itemOfCall } from './caller-goes-on.js';
import type { TracePhase, Trace, TraceSpan } from './trace-tree.js';

/** A note in a span: a template of a log line. */
export interface SpanNote {
  id: string;
  error: boolean;
}

/** An operation that no longer does what it always did, or fails in a new way. */
export interface BrokenRule {
  node: string;
  /** Standard deviations by which violations exceed the expectation from normal time. */
  score: number;
  operation: string;
  /** `after: 'A', missing: 'B'`, or `error: 'E'`. */
  broken: { after: string; missing: string } | { error: string };
  /** The violations in the incident in whose trace something fails that did not before. */
  erring: number;
  /** The violations in the incident after which the caller takes its usual next step. */
  goesOn: number;
  /** Violations, and spans that could violate it, in the incident and in normal time. */
  incident: [number, number];
  normal: [number, number];
}

/** A rule needs this many examples, and to hold in this share of them. */
const LEAST_SUPPORT = 5;
const CONFIDENCE = 0.95;
/** An error that normal spans have less often than this is new. */
const USUAL_ERROR = 0.1;
/** Violations that normal time makes expected are chance, and hide nothing above them. */
const TELLING = 2;
const START = 'START';
/** The error of a span that failed, in any wording. */
export const ERROR_STATUS = 'error status';

interface OperationRules {
  spans: number;
  errors: Map<string, number>;
  /** The items that always accompany an item. */
  rules: Map<string, string[]>;
}
/** How often items and errors, and pairs of items, were seen in the spans of an operation. */
interface OperationCounts {
  spans: number;
  errors: Map<string, number>;
  pairs: Map<string, Map<string, number>>;
}
interface Facts {
  items: Set<string>;
  errors: Set<string>;
}
type Count = [number, number];
interface Test {
  node: string;
  operation: string;
  broken: BrokenRule['broken'];
  counts: Record<TracePhase, Count>;
  erring: number;
  goesOn: number;
}

/**
 * Finds operations whose structure has changed. The items of a span are its child operations and
 * the templates of its log lines; from normal time come rules "a span with A also has B"
 * (association rules; Agrawal et al., SIGMOD 1993; the idea of comparing patterns across phases is
 * Nezha's, Yu et al., ESEC/FSE 2023). Only the deepest violated span of a trace counts: what is
 * above it suffers. Each rule and each error is a test of its own, and a node has the score of its
 * best test, so that background errors and a shifted mix of requests do not add up.
 *
 * @param notesOf the log templates of a span, by {@link TraceSpan.key}
 */
export function brokenRules(
  traces: readonly Trace[],
  notesOf: (key: string) => readonly SpanNote[],
): BrokenRule[] {
  const normal: TracePhase = traces.some(({ phase }) => phase === 'baseline')
    ? 'baseline'
    : 'before';
  const facts = new Map<TraceSpan, Facts>();
  for (const { spans } of traces) for (const span of spans) facts.set(span, factsOf(span, notesOf));
  const lost = lostShare(traces);
  const learnt = learn(traces, facts, normal, CONFIDENCE * (1 - lost));
  const all = countViolations(traces, facts, learnt, () => true);
  const telling = new Set(
    [...all].flatMap(([key, { counts, broken }]) =>
      scoreOf(counts, broken, lost) >= TELLING ? [key] : [],
    ),
  );
  const tests = countViolations(traces, facts, learnt, (key) => telling.has(key));
  const best = new Map<string, BrokenRule>();
  for (const test of tests.values()) {
    if (test.counts.incident[0] === 0) continue;
    const score = scoreOf(test.counts, test.broken, lost);
    const known = best.get(test.node);
    // The failure of a span explains that it no longer makes its usual calls.
    const tells = score === known?.score && isErrorStatus(test.broken);
    if (score <= (known?.score ?? -Infinity) && !tells) continue;
    const { node, operation, broken, counts } = test;
    const usual = counts[normal];
    best.set(node, {
      node,
      score,
      operation,
      broken,
      erring: test.erring,
      goesOn: test.goesOn,
      incident: counts.incident,
      normal: usual,
    });
  }
  return [...best.values()].sort((a, b) => b.score - a.score);
}

const isErrorStatus = (broken: BrokenRule['broken']): boolean =>
  'error' in broken && broken.error === ERROR_STATUS;

/** Share of the spans whose parent was not recorded: as many children are missing as well. */
function lostShare(traces: readonly Trace[]): number {
  const spans = traces.flatMap((trace) => trace.spans);
  const orphans = spans.filter(({ isOrphan }) => isOrphan);
  return spans.length === 0 ? 0 : orphans.length / spans.length;
}

function factsOf(span: TraceSpan, notesOf: (key: string) => readonly SpanNote[]): Facts {
  const items = new Set([START]);
  const errors = new Set<string>();
  for (const child of span.children) {
    const item = itemOfCall(child);
    items.add(item);
    if (child.error !== undefined || /error|exception/i.test(child.name)) errors.add(item);
  }
  for (const { id, error } of notesOf(span.key)) {
    items.add(id);
    if (error) errors.add(id);
  }
  if (span.error !== undefined) errors.add(ERROR_STATUS);
  return { items, errors };
}

function learn(
  traces: readonly Trace[],
  facts: ReadonlyMap<TraceSpan, Facts>,
  normal: TracePhase,
  confidence: number,
): Map<string, OperationRules> {
  const counted = new Map<string, OperationCounts>();
  for (const { phase, spans } of traces) {
    if (phase !== normal) continue;
    for (const span of spans) {
      const { items, errors } = facts.get(span) ?? {
        items: new Set<string>(),
        errors: new Set<string>(),
      };
      const known: OperationCounts = counted.get(span.operation) ?? {
        spans: 0,
        errors: new Map<string, number>(),
        pairs: new Map<string, Map<string, number>>(),
      };
      counted.set(span.operation, known);
      known.spans += 1;
      for (const error of errors) increment(known.errors, error);
      for (const item of items) {
        const beside = known.pairs.get(item) ?? new Map<string, number>();
        known.pairs.set(item, beside);
        for (const other of items) increment(beside, other);
      }
    }
  }
  const everError = new Set([...counted.values()].flatMap(({ errors }) => [...errors.keys()]));
  return new Map(
    [...counted].map(([operation, { spans, errors, pairs }]) => {
      const rules = new Map<string, string[]>();
      for (const [item, beside] of pairs) {
        const support = beside.get(item) ?? 0;
        if (support < LEAST_SUPPORT) continue;
        const always = [...beside].flatMap(([other, together]) =>
          other !== item && together / support >= confidence && !everError.has(other)
            ? [other]
            : [],
        );
        if (always.length > 0) rules.set(item, always);
      }
      return [operation, { spans, errors, rules }];
    }),
  );
}

const increment = (counts: Map<string, number>, key: string): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

function violations(
  { items, errors }: Facts,
  known: OperationRules | undefined,
): BrokenRule['broken'][] {
  const found: BrokenRule['broken'][] = [];
  for (const error of errors)
    if (known === undefined || (known.errors.get(error) ?? 0) / known.spans < USUAL_ERROR)
      found.push({ error });
  if (known)
    for (const after of items)
      for (const missing of known.rules.get(after) ?? [])
        if (!items.has(missing)) found.push({ after, missing });
  return found;
}

function countViolations(
  traces: readonly Trace[],
  facts: ReadonlyMap<TraceSpan, Facts>,
  learnt: ReadonlyMap<string, OperationRules>,
  isTelling: (key: string) => boolean,
): Map<string, Test> {
  const tests = new Map<string, Test>();
  const keyOf = ({ operation }: TraceSpan, broken: BrokenRule['broken']): string =>
    `${operation}\t${'error' in broken ? broken.error : `${broken.after}\t${broken.missing}`}`;
  const testOf = (span: TraceSpan, broken: BrokenRule['broken']): Test => {
    const { node = '', operation } = span;
    const key = keyOf(span, broken);
    let test = tests.get(key);
    if (test === undefined) {
      const counts: Test['counts'] = { baseline: [0, 0], before: [0, 0], incident: [0, 0] };
      tests.set(key, (test = { node, operation, broken, counts, erring: 0, goesOn: 0 }));
    }
    return test;
  };
  const spansOf = new Map<string, Record<TracePhase, number>>();
  for (const { phase, spans } of traces) {
    const found = new Map(
      spans.map((span) => [
        span,
        violations(facts.get(span) as Facts, learnt.get(span.operation)).filter((each) =>
          isTelling(keyOf(span, each)),
        ),
      ]),
    );
    const erring = [...found.values()].some((list) => list.some((each) => 'error' in each));
    const alwaysCalled = (operation: string) => learnt.get(operation)?.rules.get(START) ?? [];
    const broken = new Set<TraceSpan>();
    for (const span of spans.toReversed())
      if ((found.get(span) ?? []).length > 0 || span.children.some((child) => broken.has(child)))
        broken.add(span);
    for (const span of spans) {
      const seen = spansOf.get(span.operation) ?? { baseline: 0, before: 0, incident: 0 };
      spansOf.set(span.operation, seen);
      seen[phase] += 1;
      for (const after of facts.get(span)?.items ?? [])
        for (const missing of learnt.get(span.operation)?.rules.get(after) ?? [])
          testOf(span, { after, missing }).counts[phase][1] += 1;
      if (span.children.some((child) => broken.has(child))) continue;
      for (const violation of found.get(span) ?? []) {
        const test = testOf(span, violation);
        test.counts[phase][0] += 1;
        if (phase !== 'incident') continue;
        if (erring) test.erring += 1;
        if (callerGoesOn(span, spans, alwaysCalled)) test.goesOn += 1;
      }
    }
  }
  for (const { operation, broken, counts } of tests.values()) {
    const seen = spansOf.get(operation);
    // Any span of the operation could have failed.
    if ('error' in broken && seen)
      for (const phase of Object.keys(counts) as TracePhase[]) counts[phase][1] = seen[phase];
  }
  return tests;
}

/**
 * By how many standard deviations of a binomial distribution violations exceed the usual share,
 * smoothed for rare ones. A call that is missing may have been lost like other spans.
 */
function scoreOf(
  { baseline, before, incident }: Record<TracePhase, Count>,
  broken: BrokenRule['broken'],
  lost: number,
): number {
  const seen = (baseline[0] + 0.3 * before[0] + 0.5) / (baseline[1] + 0.3 * before[1] + 1);
  const isCall = 'missing' in broken && broken.missing.startsWith('call ');
  const usual = isCall ? Math.max(seen, lost) : seen;
  const [violated, spans] = incident;
  return (violated - usual * spans) / Math.sqrt(usual * (1 - usual) * spans + 1);
}
