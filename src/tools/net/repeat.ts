import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Symptom } from '../../domain/diagnosis/finding.js';
import { INTERMITTENT } from '../../domain/diagnosis/issues/older-titles.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import { pause } from '../../lib/async.js';
import { UnmeasuredError } from '../unmeasured-error.js';
import type { NetworkFault } from './network-error.js';

/**
 * All tries of one call together; below the default time limit of a tool (contract section 4: 30
 * s).
 */
const BUDGET_MS = 20_000;
/** The pause that lets both states of a restarting service be seen. */
const PAUSE_AFTER_FAILURE_MS = 100;

/** Number of tries if some fail and others do not: enough to estimate how often. */
const MOST_TRIES = 10;

/**
 * Repeats a try, one after the other. If some tries fail and others do not, there are up to ten:
 * three would detect a failure rate of one in five only half of the time. After the first, no try
 * is started that might end beyond the budget, so there may be fewer than requested. A try that
 * cannot be made ends them, and does not invalidate earlier ones.
 * @param timeoutMs the maximum duration of one try
 * @throws the signal's reason; the UnmeasuredError of the first try
 */
export async function repeat<T>(
  { tries, timeoutMs, signal }: { tries: number; timeoutMs: number; signal: AbortSignal },
  attempt: () => Promise<T>,
  failed: (outcome: T) => boolean,
): Promise<T[]> {
  const started = performance.now();
  const outcomes: T[] = [];
  let failures = 0;
  const wanted = () =>
    failures > 0 && failures < outcomes.length ? Math.max(tries, MOST_TRIES) : tries;
  for (;;) {
    signal.throwIfAborted();
    let outcome: T;
    try {
      outcome = await attempt();
    } catch (error) {
      if (error instanceof UnmeasuredError && outcomes.length > 0) return outcomes;
      throw error;
    }
    outcomes.push(outcome);
    const hasFailed = failed(outcome);
    if (hasFailed) failures += 1;
    if (outcomes.length >= wanted() || performance.now() - started + timeoutMs > BUDGET_MS)
      return outcomes;
    if (hasFailed) await pause(PAUSE_AFTER_FAILURE_MS, signal);
  }
}

/** How one try failed: a phrase that can stand alone as a title. */
export interface Failure {
  symptom: Symptom;
  text: string;
  detail?: string;
  /** The expected result, if it differs from that of every try. */
  expected?: string;
  /** For a time-out: how long was waited. */
  waitedMs?: number;
  /** Nothing was waited for. */
  atOnce?: true;
  /** The HTTP status of the answer, if that is the failure. */
  httpStatus?: number;
  /** The severity if every try fails so; default critical. */
  severity?: 'critical' | 'warning';
  /** Why there was no answer, if that is the failure. */
  fault?: NetworkFault['kind'];
  /** The kind of failure, if this shows it. */
  failureKind?: FailureKind;
  /** As of an issue. */
  steps?: string;
  part?: string;
}

/**
 * Returns the issue of the failed tries, if any failed: the most frequent failure. If only some
 * tries fail, the title states so, and the issue is critical if at least half of them fail.
 */
export function failureIssues(
  failures: readonly Failure[],
  tries: number,
  expected: string,
): Issue[] {
  const count = (text: string) => failures.filter((each) => each.text === text).length;
  const worst = [...failures].sort((a, b) => count(b.text) - count(a.text))[0];
  if (!worst) return [];
  const others = [...new Set(failures.map((each) => each.text))]
    .filter((text) => text !== worst.text)
    .slice(0, 3);
  const detail = [
    // The most frequent failure is the title.
    `${failures.length} of ${tries} tries failed${others.length > 0 ? `, some otherwise: ${others.join('; ')}` : ''}. Expected ${worst.expected ?? expected}.`,
    ...(worst.detail === undefined ? [] : [worst.detail]),
  ].join(' ');
  const { severity = 'critical', symptom, text, waitedMs, atOnce, httpStatus } = worst;
  const { failureKind = 'exception', steps, part } = worst;
  const some = failures.length < tries;
  // A connection that ends during the answer, and a port that is closed meanwhile: the process ends
  // and is restarted.
  const met = (fault: NetworkFault['kind']) => failures.some((each) => each.fault === fault);
  const restarts = failureKind === 'exception' && met('reset') && met('refused');
  return [
    {
      severity: some && failures.length * 2 < tries ? 'warning' : severity,
      symptom,
      title: some ? INTERMITTENT + text : text,
      detail,
      ...(waitedMs !== undefined && { duration_ms: waitedMs, waits: count(text) }),
      ...(atOnce && { took_ms: 0 }),
      ...(httpStatus !== undefined && { http_status: httpStatus }),
      ...(some && { intermittent: true as const }),
      ...(restarts
        ? { kind: 'crash-loop' as const }
        : {
            ...(worst.failureKind && { kind: failureKind }),
            ...(steps !== undefined && { steps }),
            ...(part !== undefined && { part }),
          }),
    },
  ];
}
