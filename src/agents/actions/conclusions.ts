import type { Citation, Conclusion } from '../../domain/blackboard.js';
import type { DraftEvent } from '../../domain/events/event.js';
import { textOf } from '../../lib/json.js';
import {
  countsSentence,
  foldReports,
  makeReport,
  countFindings,
} from '../../domain/diagnosis/report.js';
import { findRootCauses } from '../../domain/diagnosis/root-cause.js';
import { findingsOf, type Measured } from '../../domain/diagnosis/findings-of.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import type { EventLog } from '../../event-log/event-log.js';
import type { AgentSession, Draft } from '../runtime/agent-session.js';
import type { Action, Done } from './action.js';
import { atEnd } from './at-end.js';
import { closeDispatch } from '../runtime/close-dispatch.js';
import { reportsBelow } from '../runtime/reports-below.js';
import { unanswered } from '../runtime/unanswered.js';

/**
 * Checks claims against the log: each piece of evidence must be a tool result of this run, and each node one of the
 * topology. A claim that is left with no evidence is dropped, and a warning made of it. Contract section 6.
 */
async function support<Claim extends { node: string; title: string; evidence: Citation[] }>(
  session: AgentSession,
  log: EventLog,
  claims: readonly Claim[],
): Promise<{
  supported: (Omit<Claim, 'evidence'> & { evidence: number[] })[];
  warnings: DraftEvent[];
}> {
  if (claims.length === 0) return { supported: [], warnings: [] };
  const own = claims.every((claim) =>
    claim.evidence.every((citation) => session.evidence.has(String(citation))),
  );
  const byId = own ? session.evidence : await log.evidence(session.runId);
  const results = new Set(byId.values());
  const supported: (Omit<Claim, 'evidence'> & { evidence: number[] })[] = [];
  const warnings: DraftEvent[] = [];
  const drop = (claim: Claim, why: string) =>
    warnings.push(
      session.warning('UNSUPPORTED_CLAIM', `"${claim.title}" was dropped: ${why}.`, {
        node: claim.node,
        title: claim.title,
      }),
    );
  for (const claim of claims) {
    const cited = claim.evidence.map((citation) => {
      const sequence =
        typeof citation === 'string' && !byId.has(citation) ? Number(citation) : citation;
      return typeof sequence === 'string'
        ? byId.get(sequence)
        : results.has(sequence)
          ? sequence
          : undefined;
    });
    const evidence = [...new Set(cited.filter((sequence) => sequence !== undefined))].toSorted(
      (a, b) => a - b,
    );
    if (!session.node(claim.node)) drop(claim, `there is no node "${claim.node}" in this topology`);
    else if (evidence.length === 0) drop(claim, 'its evidence is no tool result of this run');
    else supported.push({ ...claim, evidence });
  }
  return { supported, warnings };
}

/** The last thing that the model said, if it said anything. */
const lastText = (session: AgentSession) =>
  session.messages.findLast(
    (message) => message.role === 'assistant' && message.text !== '' && message.calls.length === 0,
  );

/** Claims by rule over what was measured, for an agent that ends without a report of its own. */
function measuredClaims(session: AgentSession) {
  const byNode = new Map<string, Measured[]>();
  for (const { id, tool, args, output, failed } of session.answers()) {
    const node = textOf(args, 'node');
    if (failed || !session.node(node)) continue;
    byNode.set(node, [
      ...(byNode.get(node) ?? []),
      { tool, evidence: id, result: output as unknown as ToolResult },
    ]);
  }
  return [...byNode].flatMap(([node, measured]) => findingsOf(node, measured));
}

/** Tools of an agent's own that were called and never gave a result: what they would have said is not known. */
function toolsWithoutResult(session: AgentSession): string[] {
  const own = session.place.worker?.tools ?? [];
  const answered = new Map<string, boolean>();
  for (const { tool, failed } of session.answers())
    answered.set(tool, answered.get(tool) === true || !failed);
  return own.filter((tool) => answered.get(tool) === false);
}

/** In place of a conclusion: what is known all the same. */
function endedEarly(
  session: AgentSession,
  reasons: readonly string[],
  findings: readonly { title: string }[],
): string {
  const why = reasons.length > 0 ? ` (${reasons.join(', ')})` : '';
  return [
    `${session.source.agent_name} ended without a conclusion${why}.`,
    ...measuredSentence(session, findings),
  ].join(' ');
}

function measuredSentence(session: AgentSession, findings: readonly { title: string }[]): string[] {
  const { worker } = session.place;
  const titles = new Set(findings.map(({ title }) => title));
  if (titles.size > 0)
    return [`${worker ? 'Measured' : 'Its workers found'}: ${[...titles].join('; ')}.`];
  if (!worker) return [];
  const tools = new Set(
    session
      .answers()
      .flatMap(({ tool, failed }) => (failed || !worker.tools.includes(tool) ? [] : [tool])),
  );
  return [
    tools.size > 0
      ? `Nothing wrong was measured by ${[...tools].join(', ')}.`
      : 'Nothing was measured.',
  ];
}

/** Ends what a tree has left open: whoever was sent and not waited for is reported for, calls that were not made are answered. */
async function loose(
  { board, source, dispatchId, runId, spec }: AgentSession,
  log: EventLog,
): Promise<DraftEvent[]> {
  for (const open of board.waiting)
    await closeDispatch(log, runId, spec.topology, open.dispatch_id, open.agent_id);
  return unanswered(board, source, dispatchId);
}

/** The last leaf of a worker and of a team supervisor: its `dispatch.report`. */
async function makeAgentReport(session: Draft, log: EventLog): Promise<Done> {
  const { board, place, source, dispatchId } = session;
  const concluded = board.conclusion;
  const reasons = [...new Set(board.reasons)];
  const below = place.type === 'team_supervisor' ? await teamFold(session, log) : null;
  const claims = concluded?.findings ?? (below ? below.findings : measuredClaims(session));
  const { supported, warnings } = await support<(typeof claims)[number]>(session, log, claims);
  const failed = board.failed || concluded?.status === 'failed';
  if (failed && reasons.length === 0) reasons.push('NOT_DONE');
  // Whatever its model says: a node is not well because the tool that would have told did not answer.
  if (!failed && toolsWithoutResult(session).length > 0) reasons.push('TOOL_FAILED');
  if (below?.incomplete)
    reasons.push(...below.reasons.filter((reason) => !reasons.includes(reason)));
  const text = lastText(session);
  const summary =
    concluded?.summary ??
    (text?.role === 'assistant' ? text.text : endedEarly(session, reasons, supported));
  const status = failed ? 'failed' : reasons.length > 0 || below?.incomplete ? 'partial' : 'ok';
  const done: DraftEvent = {
    name: 'dispatch.report',
    source,
    data: { dispatch_id: dispatchId as string, status, reasons, summary, findings: supported },
  };
  const open = await loose(session, log);
  return {
    outcome: 'success',
    last: true,
    state: board,
    events: [...open, ...warnings, ...atEnd(session), done],
  };
}

/** What a team's workers have reported to it. */
async function teamFold(session: AgentSession, log: EventLog) {
  return foldReports(session.spec.topology, await reportsBelow(session, log));
}

type CitedCause = Conclusion['root_causes'][number];

/** The last leaf of the global supervisor: `lifecycle.completed`, with the report. */
async function concludeRun(session: Draft, log: EventLog): Promise<Done> {
  const { board, spec, source } = session;
  const { topology } = spec;
  const fold = foldReports(topology, await reportsBelow(session, log));
  const concluded = board.conclusion?.status === 'ok' ? board.conclusion : null;
  // A model that failed, or that was cut off by a limit, does not keep a person from the conclusion that the rules allow.
  const ruled =
    concluded === null ? findRootCauses(topology.nodes, fold.findings, fold.unchecked) : null;
  const causes: readonly CitedCause[] = concluded?.root_causes ?? ruled?.rootCauses ?? [];
  const findings = await support(session, log, concluded?.findings ?? ruled?.findings ?? []);
  const rootCauses = await support(session, log, causes);
  const reasons = [...new Set([...board.reasons, ...fold.reasons])];
  const report = makeReport(
    { ...fold, incomplete: fold.incomplete || reasons.length > 0 },
    rootCauses.supported,
    findings.supported,
  );

  const text = lastText(session);
  const said =
    concluded?.summary ??
    (ruled && ruled.rootCauses.length > 0
      ? `Root cause: ${ruled.rootCauses.map((cause) => cause.title).join('; ')}.`
      : text?.role === 'assistant'
        ? text.text
        : 'The diagnosis ended early; this is what was found.');
  const done: DraftEvent = {
    name: 'lifecycle.completed',
    source,
    data: {
      summary: `${said.trim()} ${countsSentence(countFindings(report.findings))}`.trim(),
      report,
      partial: reasons.length > 0 || fold.incomplete,
      reasons,
    },
  };
  const open = await loose(session, log);
  return {
    outcome: 'success',
    last: true,
    state: board,
    events: [...open, ...findings.warnings, ...rootCauses.warnings, ...atEnd(session), done],
  };
}

export const report: Action = {
  name: 'report',
  run: ({ session, ports }) => makeAgentReport(session.draft(), ports.log),
};

export const conclude: Action = {
  name: 'conclude',
  run: ({ session, ports }) => concludeRun(session.draft(), ports.log),
};
