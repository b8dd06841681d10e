import type { EventData, RunEvent } from '../domain/events/event.js';
import type { Report, Verdict } from '../domain/diagnosis/finding.js';
import type { RunState } from '../event-log/log-port.js';

/**
 * The outcome of a diagnosis; computed from its log alone, so that it is the same at each attempt
 * to report it.
 */
export interface DiagnosisOutcome {
  runId: string;
  topologyId: number;
  topologyName: string;
  status: 'completed' | 'failed' | 'cancelled';
  /** Of a run that completed; otherwise its status. */
  verdict: Verdict | 'failed' | 'cancelled';
  /** The headline of the report, or why there is none. */
  headline: string;
  report: Report | null;
  /** ISO 8601. */
  endedAt: string;
}

type Terminal = Partial<
  EventData['lifecycle.completed'] &
    EventData['lifecycle.failed'] &
    EventData['lifecycle.cancelled']
>;

/** The outcome of a diagnosis that has ended; undefined for other runs. */
export function outcomeOf(
  runId: string,
  { head, status, endedAt }: RunState,
  terminal: RunEvent | undefined,
): DiagnosisOutcome | undefined {
  if (head.kind !== 'diagnosis' || status === 'queued' || status === 'running' || !terminal)
    return undefined;
  const { report = null, summary = '', error, code, reason = '' } = terminal.data as Terminal;
  const headline = {
    completed: report?.headline ?? summary,
    failed: `The diagnosis failed (${code ?? 'unknown'}): ${error ?? ''}`,
    cancelled: `The diagnosis was cancelled: ${reason}`,
  }[status];
  return {
    runId,
    topologyId: head.topologyId,
    topologyName: head.topologyName,
    status,
    verdict: status === 'completed' ? (report?.verdict ?? 'inconclusive') : status,
    headline,
    report,
    endedAt: new Date(endedAt ?? 0).toISOString(),
  };
}
