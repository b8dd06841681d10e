import type { EventData, RunEvent } from '../events/event.js';
import { isLibrarian } from '../librarian.js';
import type { Finding } from './finding.js';

/** What one agent concluded in one dispatch; `status` is null if it has not reported. */
export interface AgentReport {
  agentId: string;
  /** Null for the agent at the top. */
  dispatchId: string | null;
  status: 'ok' | 'partial' | 'failed' | null;
  reasons: readonly string[];
  summary: string;
  /** Its claims, and copies of measured findings that the service added (`origin: "measured"`). */
  findings: readonly Finding[];
  /** Measurements that it asks to disregard, by the sequence of the result. */
  dismissed?: readonly { sequence: number; reason: string }[];
  /** The actions that it proposes. */
  nextSteps?: readonly { text: string; node?: string | undefined }[];
}

/**
 * The reports in the `dispatch.*` events of a run. A dispatch without a report has the status null.
 * @param evidence `tool_call_id` → sequence of its result, for dismissed measurements
 */
export function agentReports(
  events: readonly RunEvent[],
  evidence: ReadonlyMap<string, number> = new Map(),
): AgentReport[] {
  const byDispatch = new Map<string, AgentReport>();
  for (const { event, data, source } of events) {
    if (event.action === 'report') {
      const { dispatch_id, status, reasons, summary, findings, dismissed } =
        data as EventData['dispatch.report'];
      const agentId = byDispatch.get(dispatch_id)?.agentId ?? source?.agent_id ?? '';
      if (isLibrarian(agentId)) continue;
      byDispatch.set(dispatch_id, {
        agentId,
        dispatchId: dispatch_id,
        status,
        reasons,
        summary,
        findings,
        ...(dismissed && { dismissed: dismissedIn(dismissed, evidence) }),
      });
    } else {
      const { dispatch_id, agent_id } = data as EventData['dispatch.worker'];
      // A librarian sums up results for another agent; no node depends on it.
      if (isLibrarian(agent_id) || byDispatch.has(dispatch_id)) continue;
      byDispatch.set(dispatch_id, {
        agentId: agent_id,
        dispatchId: dispatch_id,
        status: null,
        reasons: [],
        summary: '',
        findings: [],
      });
    }
  }
  return [...byDispatch.values()];
}

/** Dismissed results by sequence; those that are no results of the run are left out. */
export const dismissedIn = (
  dismissed: readonly { tool_call_id: string; reason: string }[],
  evidence: ReadonlyMap<string, number>,
): { sequence: number; reason: string }[] =>
  dismissed.flatMap(({ tool_call_id, reason }) => {
    const sequence = evidence.get(tool_call_id);
    return sequence === undefined ? [] : [{ sequence, reason }];
  });

/** By dispatch, in the order in which they were sent; the agent at the top comes last. */
export function inOrder(reports: readonly AgentReport[]): AgentReport[] {
  const numbered = reports.map((report) => ({
    report,
    id: report.dispatchId,
    parts: (report.dispatchId?.match(/\d+/g) ?? []).map(Number),
  }));
  numbered.sort((a, b) => {
    if (a.id === null || b.id === null) return Number(a.id === null) - Number(b.id === null);
    for (let i = 0; i < Math.max(a.parts.length, b.parts.length); i++) {
      const difference = (a.parts[i] ?? 0) - (b.parts[i] ?? 0);
      if (difference !== 0) return difference;
    }
    return a.id < b.id ? -1 : Number(a.id > b.id);
  });
  return numbered.map(({ report }) => report);
}

/** The last report of each agent: of several dispatches, the last one that reported. */
export function lastReports(reports: readonly AgentReport[]): Map<string, AgentReport> {
  const last = new Map<string, AgentReport>();
  for (const report of inOrder(reports)) {
    const before = last.get(report.agentId);
    if (report.status !== null || before === undefined) last.set(report.agentId, report);
  }
  return last;
}

/**
 * Whether an agent ended its work without a failure of its own. It has then called its tools, even
 * if they failed.
 */
export const hasFinished = ({ status, reasons }: AgentReport): boolean =>
  status === 'ok' || (status === 'partial' && reasons.every((one) => one === 'TOOL_FAILED'));
