import type { Issue, ToolResult } from '../domain/diagnosis/tool-result.js';
import type { LoopDelay } from './limits/loop-delay.js';
import { pause } from './net/within.js';

/** ms by which timers of this process may be late for durations to count as those of the target. */
const TOLERATED_MS = 100;
/** ms that a repetition waits for the process to have time again. */
const CALM_MS = 1_000;

/**
 * Runs a probe, and once more where it found something slow or timed out while this process itself was short of processor
 * time. Where the second look was no better, the result says so (`unreliable`), and what rests on durations is no more than
 * information: a prober that is too busy must not blame its target.
 *
 * @throws what the probe throws
 */
export async function runReliably(
  probe: () => Promise<ToolResult>,
  delay: LoopDelay,
  signal: AbortSignal,
  calmMs = CALM_MS,
): Promise<ToolResult> {
  const first = await watched(probe, delay);
  if (!isInDoubt(first)) return first.result;
  await pause(calmMs, signal);
  const second = await watched(probe, delay);
  return isInDoubt(second) ? unreliable(second) : second.result;
}

interface Watched {
  result: ToolResult;
  /** ms */
  delay: number;
}

async function watched(probe: () => Promise<ToolResult>, delay: LoopDelay): Promise<Watched> {
  const watch = delay.start();
  try {
    return { result: await probe(), delay: watch.maxMs() };
  } finally {
    watch.stop();
  }
}

const restsOnTime = (issue: Issue): boolean =>
  issue.duration_ms !== undefined && issue.severity !== 'info';

const isInDoubt = ({ result, delay }: Watched): boolean =>
  delay > TOLERATED_MS && result.issues.some(restsOnTime);

function unreliable({ result, delay }: Watched): ToolResult {
  const issues = result.issues.map((issue): Issue => {
    if (!restsOnTime(issue)) return issue;
    const why = `Not reliable: this process was itself ${delay} ms behind while it measured.`;
    return { ...issue, severity: 'info', detail: `${issue.detail} ${why}` };
  });
  const has = (severity: Issue['severity']) => issues.some((issue) => issue.severity === severity);
  return {
    ...result,
    status: has('critical') ? 'failed' : has('warning') ? 'degraded' : 'ok',
    summary: `${result.summary} (not reliable: the prober was ${delay} ms behind)`,
    issues,
    unreliable: true,
  };
}
