import type { Client, Report, RunRecord } from '../client/index.js';
import type { RunProgress } from './wait-for-run.js';

/** Characters of a report in a result: about 8,000 tokens, below the output limits of hosts. */
const REPORT_SIZE = 32_000;

/** What `diagnose` and `get_report` return. */
export interface RunResult extends Record<string, unknown> {
  runId: string;
  status: RunRecord['status'];
  summary: string | null;
  report: Partial<Report> | null;
  progress: string[];
  lastSeq: number;
  /** Where a person sees the whole run. */
  url: string;
  /** What to do next; absent if the run has ended. */
  next?: string;
}

/** The state of a run after a wait. */
export async function runResult(
  client: Client,
  runId: string,
  waited: RunProgress,
): Promise<RunResult> {
  const run = await client.show(runId);
  const open = run.status === 'queued' || run.status === 'running';
  return {
    runId,
    status: run.status,
    summary: run.summary,
    report: run.report === null ? null : boundReport(run.report, REPORT_SIZE),
    progress: waited.progress,
    lastSeq: Math.max(waited.lastSeq, afterEnd(run, open)),
    url: new URL(`/console/runs/${runId}`, client.url).href,
    ...(open && {
      next: `The run continues. Call get_report with runId "${runId}" and afterSeq ${waited.lastSeq}.`,
    }),
  };
}

const afterEnd = (run: RunRecord, open: boolean): number => (open ? 0 : run.lastSequence);

/**
 * A report of at most `size` characters of JSON: lists are shortened from their end, the longest
 * first.
 * @internal Exported for tests.
 */
export function boundReport(report: Report, size: number): Partial<Report> {
  const bounded: Record<string, unknown> = { ...report };
  for (;;) {
    const excess = JSON.stringify(bounded).length - size;
    if (excess <= 0) return bounded;
    const [key, list] = Object.entries(bounded)
      .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
      .map(([name, value]) => [name, value, JSON.stringify(value).length] as const)
      .reduce((a, b) => (b[2] > a[2] ? b : a), ['', [] as unknown[], 0] as const);
    if (list.length === 0) return { verdict: report.verdict, counts: report.counts };
    bounded[key] = list.slice(0, Math.floor(list.length / 2));
    bounded['truncated'] = true;
  }
}
