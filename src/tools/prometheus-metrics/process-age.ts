import { round } from '../result.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { SeriesDelta } from './metric-thresholds.js';

/**
 * When a process started, in seconds since 1970, as client libraries of Prometheus name it:
 * https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
 */
export const PROCESS_START = 'process_start_time_seconds';

/**
 * Some exporters compute the start time again at each read: then it drifts with their clock while
 * the process stays the same.
 */
const DRIFT_SECONDS = 1;
/** By how much the clocks of two machines may differ. */
const CLOCKS_SECONDS = 10;

/**
 * What the start time of a process shows: its age, and whether it was restarted between two reads.
 * @param intervalMs between the reads.
 * @param now ms since 1970
 */
export function judgeProcessAge(
  changes: readonly SeriesDelta[],
  intervalMs: number,
  now: number,
): { ageSeconds?: number; issues: Issue[] } {
  const start = changes.find(({ sample }) => sample.name === PROCESS_START);
  if (start === undefined || !Number.isFinite(start.sample.value)) return { issues: [] };
  const ageSeconds = round(Math.max(0, now / 1_000 - start.sample.value));
  // One that began before the first read is another instance behind the same address.
  const isNew = ageSeconds <= intervalMs / 1_000 + CLOCKS_SECONDS;
  if (isNew && (start.change ?? 0) > DRIFT_SECONDS)
    return {
      ageSeconds,
      issues: [
        {
          severity: 'warning',
          symptom: 'erroring',
          kind: 'crash',
          title: 'its process ended and was started again while it was looked at',
          detail: `Its start time rose between two reads, ${intervalMs} ms apart; expected the same process to answer both.`,
        },
      ],
    };
  return { ageSeconds, issues: [] };
}
