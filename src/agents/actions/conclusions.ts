import { setImmediate as nextTurn } from 'node:timers/promises';
import { concludeRun } from '../../domain/diagnosis/conclude-run.js';
import type { Finding } from '../../domain/diagnosis/finding.js';
import type { UnsupportedClaim } from '../../domain/diagnosis/reconcile.js';
import { lastReports } from '../../domain/diagnosis/agent-report.js';
import { countsSentence } from '../../domain/diagnosis/verdict.js';
import type { DraftEvent } from '../../domain/events/event.js';
import { textOf } from '../../lib/json.js';
import { readRepairs } from '../../event-log/read-repairs.js';
import type { LogPort } from '../../event-log/log-port.js';
import type { AgentSession, SessionDraft } from '../runtime/agent-session.js';
import type { Action, CompletedAction } from './action.js';
import { closeDispatch } from '../runtime/close-dispatch.js';
import { unanswered } from '../runtime/unanswered.js';
import { atEnd } from './at-end.js';
import { evidenceOf, hasNothingToCite, reconciled } from './evidence-of.js';

/** Warnings of one kind that an agent gives. */
const MOST_WARNINGS = 50;

const unsupportedWarnings = (
  session: AgentSession,
  dropped: readonly UnsupportedClaim[],
): DraftEvent[] =>
  dropped
    .slice(0, MOST_WARNINGS)
    .map(({ node, title, why }) =>
      session.warning('UNSUPPORTED_CLAIM', `"${title}" was dropped: ${why}.`, { node, title }),
    );

const unreportedWarnings = (session: AgentSession, findings: readonly Finding[]): DraftEvent[] =>
  findings
    .slice(0, MOST_WARNINGS)
    .map(({ node, title, severity }) =>
      session.warning(
        'UNREPORTED_MEASUREMENT',
        `${session.node(node)?.name ?? node}: a measured ${severity} issue was not reported, and is a finding all the same: "${title}".`,
        { node, title, severity },
      ),
    );

/** The last text of the model without a call, if there is one. */
function lastText(session: AgentSession): string {
  const message = session.messages.findLast(
    (each) => each.role === 'assistant' && each.text !== '' && each.calls.length === 0,
  );
  return message?.role === 'assistant' ? message.text : '';
}

/**
 * Tools that were called for a worker's own node and returned no result, so that their measurements
 * are unknown. A call that was refused, or that was about a neighbour, says nothing about the node.
 */
function toolsWithoutResult(session: AgentSession): string[] {
  const { tools: own = [], node } = session.place.worker ?? {};
  const answered = new Map<string, boolean>();
  for (const { tool, args, failed, refused } of session.answers())
    if (!refused && textOf(args, 'node') === node)
      answered.set(tool, answered.get(tool) === true || !failed);
  return own.filter((tool) => answered.get(tool) === false);
}

/** Tools that returned a result to the agent. */
const toolsWithResult = (session: AgentSession): string[] => [
  ...new Set(
    session
      .answers()
      .flatMap(({ tool, failed }) =>
        failed || !session.place.worker?.tools.includes(tool) ? [] : [tool],
      ),
  ),
];

/** The text that replaces a missing conclusion: what is known without it. */
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
  const tools = toolsWithResult(session);
  return [
    tools.length > 0
      ? `Nothing wrong was measured by ${tools.join(', ')}.`
      : 'Nothing was measured.',
  ];
}

/**
 * Closes what a tree has left open: dispatches without a report get one, calls that were not made
 * get a result.
 */
async function closeOpen(
  { board, source, dispatchId, runId, spec }: AgentSession,
  log: LogPort,
): Promise<DraftEvent[]> {
  for (const open of board.waiting)
    await closeDispatch(log, { runId, topology: spec.topology }, open);
  return unanswered(board, source, dispatchId);
}

const NOTHING = { findings: [], dropped: [], unreported: [], below: [] };

async function claimsOf(session: AgentSession, log: LogPort) {
  const evidence = await evidenceOf(session, log);
  return { ...reconciled(session, evidence), below: evidence.below };
}

/** The last action of a worker and of a team supervisor: its `dispatch.report`. */
async function makeAgentReport(session: SessionDraft, log: LogPort): Promise<CompletedAction> {
  const { board, source, dispatchId } = session;
  const open = await closeOpen(session, log);
  const concluded = board.conclusion;
  const { findings, dropped, unreported, below } = hasNothingToCite(session)
    ? NOTHING
    : await claimsOf(session, log);
  const short = [...lastReports(below).values()].filter(
    ({ status }) => status !== null && status !== 'ok',
  );

  const reasons = [...new Set(board.reasons)];
  const failed = board.failed || concluded?.status === 'failed';
  // Independent of the model's answer: without a measurement nothing is known about the node.
  if ((!failed || reasons.length === 0) && toolsWithoutResult(session).length > 0)
    reasons.push('TOOL_FAILED');
  if (failed && reasons.length === 0) reasons.push('NOT_DONE');
  for (const reason of short.flatMap((each) => each.reasons))
    if (!reasons.includes(reason)) reasons.push(reason);
  const summary =
    concluded?.summary ?? (lastText(session) || endedEarly(session, reasons, findings));
  const status = failed ? 'failed' : reasons.length > 0 || short.length > 0 ? 'partial' : 'ok';
  const dismissed = concluded?.dismissed ?? [];
  const done: DraftEvent = {
    name: 'dispatch.report',
    source,
    data: {
      dispatch_id: dispatchId as string,
      status,
      reasons,
      summary,
      findings,
      ...(dismissed.length > 0 && { dismissed }),
    },
  };
  return lastStep(session, open, { dropped, unreported }, done);
}

/** The step that ends an agent's work: open calls, warnings about claims, then its report. */
function lastStep(
  session: SessionDraft,
  open: readonly DraftEvent[],
  {
    dropped,
    unreported,
  }: {
    dropped: Parameters<typeof unsupportedWarnings>[1];
    unreported: Parameters<typeof unreportedWarnings>[1];
  },
  done: DraftEvent,
): CompletedAction {
  const warnings = [
    ...unsupportedWarnings(session, dropped),
    ...unreportedWarnings(session, unreported),
  ];
  return {
    outcome: 'success',
    last: true,
    state: session.board,
    events: [...open, ...warnings, ...atEnd(session), done],
  };
}

/**
 * The last action of the global supervisor: `lifecycle.completed`, with the report. Contract
 * section 6.
 */
async function makeRunReport(session: SessionDraft, log: LogPort): Promise<CompletedAction> {
  const { board, spec, source } = session;
  const open = await closeOpen(session, log);
  const { measurements, report: own, below } = await evidenceOf(session, log);
  const status = own.status === 'ok' && board.reasons.length > 0 ? 'partial' : own.status;
  const summary = own.summary || lastText(session);
  const repairs = await readRepairs(log, session.runId, spec);
  // For a run of a thousand nodes, reading, concluding and recording take one turn of the event
  // loop each.
  await nextTurn();
  const concluded = concludeRun(
    spec.topology,
    measurements,
    [...below, { ...own, summary, status, reasons: board.reasons }],
    { nextSteps: session.prompts.nextSteps, repairs },
  );
  await nextTurn();
  const { report: made, dropped, unreported, incomplete } = concluded;
  const reasons = [...new Set([...board.reasons, ...concluded.reasons])];
  const done: DraftEvent = {
    name: 'lifecycle.completed',
    source,
    data: {
      summary: `${made.headline} ${countsSentence(made.counts)}`,
      report: made,
      partial: reasons.length > 0 || incomplete,
      reasons,
    },
  };
  return lastStep(session, open, { dropped, unreported }, done);
}

export const report: Action = {
  name: 'report',
  run: ({ session, ports }) => makeAgentReport(session.draft(), ports.log),
};

export const conclude: Action = {
  name: 'conclude',
  run: ({ session, ports }) => makeRunReport(session.draft(), ports.log),
};
