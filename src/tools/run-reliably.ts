import type { Issue, ToolResult } from '../domain/diagnosis/tool-result.js';
import type { Lateness, LoopDelay } from './limits/loop-delay.js';
import { isAlike } from '../domain/diagnosis/current-measurements.js';
import { pause } from '../lib/async.js';

/** ms by which a timer of this process may be late for durations to count as those of the target. */
const TOLERATED_MS = 100;
/** The part of a time-out for which this process must have been late to doubt it. */
const PART_OF_TIMEOUT = 0.25;
/** ms that a repetition waits for the process to have time again. */
const CALM_MS = 1_000;

/**
 * Runs a probe, and once more where it found something slow or timed out, and delays of this process itself could explain
 * that. Only delays that fit into the duration count: a probe makes several tries, and an issue rests on one of them. What the
 * first look showed and no delay explains is an issue of the result all the same. Where the second look was no better, the result
 * says so (`unreliable`), and what rests on durations is no more than information: a prober that is too busy must not blame its target.
 *
 * @throws what the probe throws
 */
export async function runReliably(
  probe: () => Promise<ToolResult>,
  delay: Pick<LoopDelay, 'start'>,
  signal: AbortSignal,
  calmMs = CALM_MS,
): Promise<ToolResult> {
  const first = await watched(probe, delay);
  if (!isInDoubt(first)) return first.result;
  await pause(calmMs, signal);
  const second = await watched(probe, delay);
  return withProven(first, isInDoubt(second) ? unreliable(second) : second.result);
}

interface Watched {
  result: ToolResult;
  late: Lateness;
}

async function watched(
  probe: () => Promise<ToolResult>,
  delay: Pick<LoopDelay, 'start'>,
): Promise<Watched> {
  const watch = delay.start();
  try {
    return { result: await probe(), late: watch.soFar() };
  } finally {
    watch.stop();
  }
}

/** Whether an issue rests on a duration that the delays of this process could account for. */
function isExplained({ severity, duration_ms, limit_ms }: Issue, late: Lateness): boolean {
  if (duration_ms === undefined || severity === 'info' || late.maxMs <= TOLERATED_MS) return false;
  const excess = limit_ms === undefined ? duration_ms * PART_OF_TIMEOUT : duration_ms - limit_ms;
  return late.within(duration_ms) >= excess;
}

const isInDoubt = ({ result, late }: Watched): boolean =>
  issuesOf(result).some((issue) => isExplained(issue, late));

/** The issues of what a tool has returned, which may be anything: its caller judges that. */
function issuesOf(returned: unknown): Issue[] {
  if (typeof returned !== 'object' || returned === null || !('issues' in returned)) return [];
  const { issues } = returned;
  return Array.isArray(issues)
    ? issues.filter((issue): issue is Issue => typeof issue === 'object' && issue !== null)
    : [];
}

/** The result of the second look with the issues of the first that no delay explains, and that the second does not show. */
function withProven({ result, late }: Watched, second: ToolResult): ToolResult {
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
        detail: `${issue.detail} The first of two looks showed it, the second did not.`,
      })),
    ],
  });
}

function unreliable({ result, late }: Watched): ToolResult {
  let most = 0;
  const issues = issuesOf(result).map((issue): Issue => {
    if (!isExplained(issue, late)) return issue;
    const behind = late.within(issue.duration_ms ?? 0);
    most = Math.max(most, behind);
    const why = `Not reliable: this process was itself up to ${behind} ms behind meanwhile.`;
    return { ...issue, severity: 'info', detail: `${issue.detail} ${why}` };
  });
  return judged({
    ...result,
    summary: `${result.summary} (not reliable: the prober was up to ${most} ms behind)`,
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
