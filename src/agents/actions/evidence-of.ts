import type { Citation, Conclusion } from '../../domain/blackboard.js';
import { evidenceOf as originOf, READ_AGAIN } from '../../domain/context/view.js';
import {
  agentReports,
  dismissedIn,
  type AgentReport,
} from '../../domain/diagnosis/agent-report.js';
import { bySeverity, type Finding } from '../../domain/diagnosis/finding.js';
import { currentMeasurements } from '../../domain/diagnosis/current-measurements.js';
import { issuesOf } from '../../domain/diagnosis/issues/issues-of.js';
import type { Measurement } from '../../domain/diagnosis/measurement.js';
import { asInformation, reconcile, type Reconciliation } from '../../domain/diagnosis/reconcile.js';
import type { LogPort } from '../../event-log/log-port.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { reportsBelow } from '../runtime/reports-below.js';

/**
 * The input of a conclusion: the log's measurements, and the reports of the agent and of all agents
 * below it.
 */
export interface ConclusionEvidence {
  measurements: Measurement[];
  /** Sequences of the measurements of the agent itself and of all below it. */
  own: ReadonlySet<number>;
  /** The agent's own report, from what it concluded. */
  report: AgentReport;
  /** The reports of the agents below it. */
  below: AgentReport[];
}

/** Reads the input of the agent's conclusion from the log. Only what is in the log counts. */
export async function evidenceOf(session: AgentSession, log: LogPort): Promise<ConclusionEvidence> {
  const { runId, dispatchId, spec, place, board, source, read, writer } = session;
  const { measured: known } = read;
  await writer.flush();
  const under = dispatchId === null ? '' : `${dispatchId}_`;
  const [{ evidence: byId, measurements: ownMeasurements }, reports] = await Promise.all([
    read.whole.results ?? log.measured(runId, spec.topology, { under, known }),
    place.type === 'worker' ? [] : reportsBelow(session, log),
  ]);
  const own = new Set([...byId].flatMap(([id, at]) => (id.startsWith(under) ? [at] : [])));
  const below = agentReports(reports, byId);
  const concluded = board.conclusion;
  const report: AgentReport = {
    agentId: source.agent_id,
    dispatchId,
    status: board.failed || concluded?.status === 'failed' ? 'failed' : 'ok',
    reasons: [],
    summary: concluded?.summary ?? '',
    findings: concluded ? claimsIn(session, concluded, byId) : [],
    dismissed: dismissedIn(concluded?.dismissed ?? [], byId),
    nextSteps: concluded?.next_steps ?? [],
  };
  const cited = [report, ...below].flatMap(({ findings }) => findings.flatMap((f) => f.evidence));
  const isEnough = dispatchId === null || cited.every((sequence) => own.has(sequence));
  const { measurements } = isEnough
    ? { measurements: ownMeasurements }
    : await log.measured(runId, spec.topology, { known });
  return { measurements, own, report, below };
}

/**
 * Whether the report of a worker does not depend on the log: it claims nothing, and none of its
 * results shows an issue.
 */
export function hasNothingToCite({ place, board, messages }: AgentSession): boolean {
  const { findings = [], root_causes: causes = [], dismissed = [] } = board.conclusion ?? {};
  return (
    place.type === 'worker' &&
    findings.length + causes.length + dismissed.length === 0 &&
    messages.every((each) => each.role !== 'result' || issuesOf(each.output).length === 0)
  );
}

/**
 * What the agent and the agents below it may report: measured issues of their own results, and
 * supported claims.
 */
export function reconciled(
  { spec }: Pick<AgentSession, 'spec'>,
  { measurements, own, report, below }: ConclusionEvidence,
): Pick<Reconciliation, 'findings' | 'dropped' | 'unreported'> {
  const known = { all: measurements, current: currentMeasurements(measurements) };
  const { findings, claims, dropped, unreported } = reconcile(spec.topology, known, [
    report,
    ...below,
  ]);
  const isOwn = (finding: Finding) => finding.evidence.some((sequence) => own.has(sequence));
  return {
    findings: [...findings.filter(isOwn), ...claims.map(asInformation)].toSorted(bySeverity),
    dropped,
    unreported: unreported.filter(isOwn),
  };
}

/**
 * The results that calls of `read_again` returned once more: a claim that cites such a call cites
 * the result.
 */
function originsOf(session: AgentSession): Map<string, string> {
  const again = new Set(
    session.answers().flatMap(({ id, tool }) => (tool === READ_AGAIN ? [id] : [])),
  );
  return new Map(
    session.messages.flatMap((message) =>
      message.role === 'result' && again.has(message.id)
        ? [[message.id, originOf(message)] as const]
        : [],
    ),
  );
}

/** Claims of a conclusion with sequence numbers as evidence; a root cause is also a finding. */
function claimsIn(
  session: AgentSession,
  { findings, root_causes: causes }: Conclusion,
  byId: ReadonlyMap<string, number>,
): Finding[] {
  const readAgain = originsOf(session);
  const cite = (evidence: readonly Citation[]) =>
    evidence.flatMap((citation) => {
      const id = String(citation);
      return byId.get(readAgain.get(id) ?? id) ?? (Number(citation) || []);
    });
  const named = causes.map(({ node, title, evidence }) => {
    const name = `${session.node(node)?.name ?? node}: `;
    const own = title.startsWith(name) ? title.slice(name.length) : title;
    return { node, title: own, evidence };
  });
  return [
    ...findings.map((finding) => ({ ...finding, evidence: cite(finding.evidence) })),
    ...named.map(({ evidence, ...cause }) => ({
      ...cause,
      severity: 'critical' as const,
      detail: '',
      evidence: cite(evidence),
    })),
  ];
}
