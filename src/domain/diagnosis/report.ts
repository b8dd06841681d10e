import type { EventData, RunEvent } from '../events/event.js';
import type { Finding, Report, RootCause, Severity, Unchecked, Verdict } from './finding.js';
import { isLibrarian } from '../librarian.js';
import type { Topology } from '../topology/topology.js';

const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info'];
const rank = (severity: Severity) => SEVERITIES.indexOf(severity);
const sameEvidence = (a: Finding, b: Finding) =>
  a.evidence.length === b.evidence.length && a.evidence.every((n, i) => n === b.evidence[i]);

/**
 * Adds findings to others without saying anything twice: one with the same node and title, or else with the same node,
 * severity and evidence as exactly one other, is a restatement of it and takes its place.
 */
export function mergeFindings(base: readonly Finding[], more: readonly Finding[]): Finding[] {
  const merged = [...base];
  for (const finding of more) {
    let at = merged.findIndex((f) => f.node === finding.node && f.title === finding.title);
    if (at < 0) {
      const alike = merged.flatMap((f, i) =>
        f.node === finding.node && f.severity === finding.severity && sameEvidence(f, finding)
          ? [i]
          : [],
      );
      if (alike.length === 1) at = alike[0] as number;
    }
    const known = merged[at];
    if (known) merged[at] = { ...known, ...finding };
    else merged.push(finding);
  }
  return merged.toSorted((a, b) => rank(a.severity) - rank(b.severity));
}

export const countFindings = (findings: readonly Finding[]): Record<Severity, number> => ({
  critical: findings.filter((f) => f.severity === 'critical').length,
  warning: findings.filter((f) => f.severity === 'warning').length,
  info: findings.filter((f) => f.severity === 'info').length,
});

const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** How every summary ends (contract section 6): `Found 2 warnings, 0 critical issues.` */
export const countsSentence = ({ warning, critical }: Record<Severity, number>): string =>
  `Found ${plural(warning, 'warning')}, ${plural(critical, 'critical issue')}.`;

/** Contract section 6. `incomplete`: an agent failed or is partial. */
export function verdictOf(
  rootCauses: readonly RootCause[],
  findings: readonly Finding[],
  unchecked: readonly Unchecked[],
  incomplete: boolean,
): Verdict {
  if (rootCauses.length > 0) return 'root_cause_found';
  if (findings.some((f) => f.severity !== 'info')) return 'issues_found';
  return incomplete || unchecked.length > 0 ? 'inconclusive' : 'healthy';
}

/** What the dispatches and reports in a log add up to. */
export interface ReportFold {
  findings: Finding[];
  unchecked: Unchecked[];
  /** An agent failed or is partial. */
  incomplete: boolean;
  /** Why, without repetition. */
  reasons: string[];
}

/**
 * Folds the `dispatch.*` events of a run. A node is checked when a worker that is bound to it has reported `ok`, or has
 * found something there.
 */
export function foldReports(topology: Topology, events: readonly RunEvent[]): ReportFold {
  const agentOf = new Map<string, string>();
  const reportOf = new Map<string, EventData['dispatch.report']>();
  let findings: Finding[] = [];
  for (const { event, data } of events) {
    if (event.action === 'report') {
      const report = data as EventData['dispatch.report'];
      reportOf.set(report.dispatch_id, report);
      findings = mergeFindings(findings, report.findings);
    } else {
      const dispatch = data as EventData['dispatch.worker'];
      // Nobody's health hangs on whether something could be summed up.
      if (!isLibrarian(dispatch.agent_id)) agentOf.set(dispatch.dispatch_id, dispatch.agent_id);
    }
  }
  // A worker that was sent twice counts by its last report.
  const lastReport = new Map<string, EventData['dispatch.report'] | undefined>();
  for (const [dispatchId, agentId] of agentOf)
    lastReport.set(agentId, reportOf.get(dispatchId) ?? lastReport.get(agentId));

  const reports = [...lastReport.values()].filter((report) => report !== undefined);
  const short = reports.filter((report) => report.status !== 'ok');
  const unchecked = topology.nodes.flatMap(({ id }) => {
    const reason = whyUnchecked(topology, id, findings, lastReport);
    return reason === null ? [] : [{ node: id, reason }];
  });
  return {
    findings,
    unchecked,
    incomplete: short.length > 0,
    reasons: [...new Set(short.flatMap((report) => report.reasons))],
  };
}

function whyUnchecked(
  topology: Topology,
  node: string,
  findings: readonly Finding[],
  lastReport: ReadonlyMap<string, EventData['dispatch.report'] | undefined>,
): string | null {
  if (findings.some((finding) => finding.node === node)) return null;
  const workers = topology.teams
    .flatMap((team) => team.workers)
    .filter((worker) => worker.node === node);
  if (workers.length === 0) return 'no worker looks after it';
  const sent = workers.filter((worker) => lastReport.has(worker.agentId));
  if (sent.length === 0) return 'no worker was sent to it';
  const reports = sent.map((worker) => lastReport.get(worker.agentId));
  if (reports.some((report) => report?.status === 'ok')) return null;
  const told = reports.find((report) => report !== undefined);
  return told
    ? told.summary || `its worker reported ${told.status}`
    : 'its worker has not reported';
}

/** The report of a run that completes, from what its top agent concluded and what was reported to it. */
export function makeReport(
  fold: ReportFold,
  rootCauses: readonly RootCause[],
  concluded: readonly Finding[],
): Report {
  // A root cause is also a finding.
  const own = rootCauses
    .filter(
      (cause) =>
        ![...fold.findings, ...concluded].some(
          (f) => f.node === cause.node && f.severity !== 'info',
        ),
    )
    .map(({ node, title, evidence }): Finding => ({
      node,
      severity: 'critical',
      title,
      detail: 'Concluded to be a root cause.',
      evidence,
    }));
  const findings = mergeFindings(fold.findings, [...concluded, ...own]);
  const found = new Set(findings.map((finding) => finding.node));
  const unchecked = fold.unchecked.filter(({ node }) => !found.has(node));
  return {
    verdict: verdictOf(rootCauses, findings, unchecked, fold.incomplete),
    root_causes: [...rootCauses],
    findings,
    unchecked,
    counts: countFindings(findings),
  };
}

/** The report of a run that was cancelled or failed: what had been reported so far. Contract section 6. */
export function partialReport(topology: Topology, events: readonly RunEvent[]): Report {
  const { findings, unchecked } = foldReports(topology, events);
  const serious = findings.some((finding) => finding.severity !== 'info');
  return {
    verdict: serious ? 'issues_found' : 'inconclusive',
    root_causes: [],
    findings,
    unchecked,
    counts: countFindings(findings),
  };
}
