import type { Issue, ToolResult } from '../domain/diagnosis/tool-result.js';
import type { ToolContext } from './tool.js';
import type { Lateness, LoopDelay } from './limits/loop-delay.js';
import { isAlike } from '../domain/diagnosis/current-measurements.js';
import { pause } from '../lib/async.js';
import { joinSentences } from '../lib/text.js';
import { within } from './net/within.js';

/**
 * The share of a time-out for which this process must have been late to doubt it: with less, most
 * of the silence came from the target.
 */
const PART_OF_TIMEOUT = 0.5;
/** ms that a repetition waits until the process is less busy. */
const CALM_MS = 1_000;
/**
 * ms before the end of a call at which a repetition is cancelled, so that the result of the first
 * run still counts.
 */
const SPARE_MS = 2_000;

/** What a probe gets for one look. */
type Look = Required<Pick<ToolContext, 'signal' | 'looksAgain'>>;

export interface ReliableCall {
  delay: Pick<LoopDelay, 'start'>;
  signal: AbortSignal;
  /** When the caller gives the call up, on the monotonic clock in ms. */
  until: number;
  calmMs?: number;
}

/**
 * Runs a probe, and a second time if it found something slow or timed out and delays of this
 * process itself could explain that. Only delays that fit into the duration count, because a probe
 * makes several tries, and an issue rests on one of them; and of these the largest, as many as a
 * try has steps. Issues of the first run that no delay explains stay in the result. If the second
 * run was not better, failed or did not end in time, the result is `unreliable`, and issues that
 * rest on durations are only information: a busy prober must not report its target as slow.
 * @throws errors of the probe in its first run; the signal's reason
 */
export async function runReliably(
  probe: (look: Look) => Promise<ToolResult>,
  given: ReliableCall,
): Promise<ToolResult> {
  const first = await watched(
    (late) =>
      probe({
        signal: given.signal,
        looksAgain: (waitedMs) =>
          isExplained({ severity: 'critical', duration_ms: waitedMs }, late()),
      }),
    given.delay,
  );
  if (!isInDoubt(first)) return first.result;
  const second = await secondLook(probe, given);
  if (second === undefined) return unreliable(first);
  return withProven(first, isInDoubt(second) ? unreliable(second) : second.result);
}

/** Undefined if it failed, or did not end in time. @throws the signal's reason */
async function secondLook(
  probe: (look: Look) => Promise<ToolResult>,
  { delay, signal, until, calmMs = CALM_MS }: ReliableCall,
): Promise<WatchedResult | undefined> {
  await pause(calmMs, signal);
  const left = until - performance.now() - SPARE_MS;
  if (left <= 0) return undefined;
  try {
    return await within(signal, left, (own) =>
      watched(() => probe({ signal: own, looksAgain: () => false }), delay),
    );
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

interface WatchedResult {
  result: ToolResult;
  late: Lateness;
}

async function watched(
  probe: (late: () => Lateness) => Promise<ToolResult>,
  delay: Pick<LoopDelay, 'start'>,
): Promise<WatchedResult> {
  const watch = delay.start();
  try {
    return { result: await probe(() => watch.soFar()), late: watch.soFar() };
  } finally {
    watch.stop();
  }
}

/**
 * Whether an issue rests on a duration that the delays of this process could account for; for
 * several time-outs, on each of them.
 */
function isExplained(
  {
    severity,
    duration_ms,
    limit_ms,
    waits = 1,
  }: Pick<Issue, 'severity' | 'duration_ms' | 'limit_ms' | 'waits'>,
  late: Lateness,
): boolean {
  if (duration_ms === undefined || severity === 'info') return false;
  const excess = limit_ms === undefined ? duration_ms * PART_OF_TIMEOUT : duration_ms - limit_ms;
  const most = late.within(duration_ms);
  return most > 0 && most >= excess && late.within(Infinity, waits) >= excess * waits;
}

const isInDoubt = ({ result, late }: WatchedResult): boolean =>
  issuesOf(result).some((issue) => isExplained(issue, late));

/** The issues in the result of a tool, which may be anything: its caller validates that. */
function issuesOf(returned: unknown): Issue[] {
  if (typeof returned !== 'object' || returned === null || !('issues' in returned)) return [];
  const { issues } = returned;
  return Array.isArray(issues)
    ? issues.filter((issue): issue is Issue => typeof issue === 'object' && issue !== null)
    : [];
}

/**
 * The result of the second run with the issues of the first that no delay explains, and that the
 * second does not show.
 */
function withProven({ result, late }: WatchedResult, second: ToolResult): ToolResult {
  const known = issuesOf(second);
  const proven = issuesOf(result).filter(
    (issue) =>
      issue.severity !== 'info' &&
      !isExplained(issue, late) &&
      !known.some((each) => each.symptom === issue.symptom && isAlike(each.title, issue.title)),
  );
  if (proven.length === 0) return second;
  const titles = proven.map(({ title }) => title).join('; ');
  return judged({
    ...second,
    summary: `${second.summary} (the look before this one: ${titles})`,
    issues: [
      ...known,
      ...proven.map((issue) => ({
        ...issue,
        detail: joinSentences(
          issue.detail,
          'The first of two measurements showed it, the second did not.',
        ),
      })),
    ],
  });
}

function unreliable({ result, late }: WatchedResult): ToolResult {
  let most = 0;
  const issues = issuesOf(result).map((issue): Issue => {
    if (!isExplained(issue, late)) return issue;
    const behind = late.within(issue.duration_ms ?? 0);
    most = Math.max(most, behind);
    const why = `Not reliable: meanwhile this process waited up to ${behind} ms for the processor itself.`;
    return { ...issue, severity: 'info', detail: joinSentences(issue.detail, why) };
  });
  return judged({
    ...result,
    summary: `${result.summary} (not reliable: the prober waited up to ${most} ms for the processor)`,
    issues,
    unreliable: true,
  });
}

/** The result with the status that follows from its issues. */
function judged(result: ToolResult): ToolResult {
  const has = (severity: Issue['severity']) =>
    result.issues.some((issue) => issue.severity === severity);
  return { ...result, status: has('critical') ? 'failed' : has('warning') ? 'degraded' : 'ok' };
}
