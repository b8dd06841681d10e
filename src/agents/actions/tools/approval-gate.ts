import { createHash } from 'node:crypto';
import { approvalIdOf, decidedOnce } from '../../../domain/approval.js';
import type { OpenApproval, OpenCall } from '../../../domain/blackboard.js';
import type { DraftEvent, RunEvent } from '../../../domain/events/event.js';
import type { LogPort } from '../../../event-log/log-port.js';
import type { AgentSession } from '../../runtime/agent-session.js';
import type { CallOutcome } from './call-outcome.js';
import type { FoundCall } from './find-call.js';

/** An agent that waits checks again after this many ms, in case it was not woken. */
const LOOK_AGAIN_MS = 15_000;
/** Time that a run reserves for its report: in ms, and as a share of the run's time. */
const REPORT_MS = 5_000;
const REPORT_SHARE = 0.05;

/**
 * What may be done about a call that changes its target. `open`: it may be made. The log records
 * this, so that a process that ends before the result neither loses nor repeats it. `wait`: no
 * decision yet. `closed`: it was refused, or there was no decision in time.
 */
export type Gate =
  | { kind: 'open'; approval: NonNullable<CallOutcome['approval']> }
  | { kind: 'wait'; ms: number }
  | { kind: 'closed'; outcome: CallOutcome };

/**
 * SHA-256 of a tool, its arguments and the words that say what it will do, with its target: what a
 * person approves.
 * @internal Exported for tests.
 */
export const digestOfCall = ({
  tool,
  args,
  message,
}: Pick<OpenCall, 'tool' | 'args'> & { message: string }): string =>
  createHash('sha256')
    .update(JSON.stringify([tool, sorted(args), message]))
    .digest('hex');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/**
 * Asks for the approval of a call, or reads how a person decided about it. Contract section 11.
 * @param waitMs how long a person has to decide; at most until the run must report
 */
export async function approvalOf(
  session: AgentSession,
  log: LogPort,
  call: OpenCall,
  { waitMs, ...found }: FoundCall & { waitMs: number },
): Promise<Gate> {
  const gate = await decidedGate(session, log, call, { waitMs, ...found });
  if (gate.kind !== 'closed') return gate;
  const target = { node: found.node.id, subject: '', measures: found.tool.measures(found.node) };
  return { ...gate, outcome: { ...gate.outcome, target } };
}

async function decidedGate(
  session: AgentSession,
  log: LogPort,
  call: OpenCall,
  { waitMs, ...found }: FoundCall & { waitMs: number },
): Promise<Gate> {
  const open = call.approval;
  if (!open) return ask(session, call, found, waitMs);
  if (open.started) return opened(open, open.started.by);
  const decision = await decisionOn(session, log, open);
  if (decision === undefined) return waitFor(session, open);
  const { by, reason = '' } = decision.data;
  const inTime = Date.parse(decision.timestamp) <= open.expires_at;
  if (decision.data.decision === 'approve' && inTime) {
    await mark(session, call, { ...open, started: { by } });
    return opened(open, by);
  }
  if (decision.data.decision !== 'deny') return expired(open);
  const error = `${by ?? 'A person'} refused it${reason === '' ? '.' : `: ${reason}`}`;
  return closed(open, { error, code: 'APPROVAL_DENIED' }, { decision: 'deny', by });
}

const opened = ({ approval_id }: OpenApproval, by: string | null): Gate => ({
  kind: 'open',
  approval: { approval_id, decision: 'approve', by },
});

const closed = (
  { approval_id }: OpenApproval,
  result: { error: string; code: string },
  decided: Pick<NonNullable<CallOutcome['approval']>, 'decision' | 'by'>,
): Gate => ({
  kind: 'closed',
  outcome: {
    status: 'denied',
    result,
    duration_ms: 0,
    approval: { approval_id, ...decided },
  },
});

const expired = (open: OpenApproval): Gate =>
  closed(
    open,
    { error: 'It was not approved in time.', code: 'APPROVAL_EXPIRED' },
    { decision: 'expired', by: null },
  );

const waitFor = (session: AgentSession, { expires_at }: OpenApproval): Gate => ({
  kind: 'wait',
  ms: Math.max(1, Math.min(LOOK_AGAIN_MS, expires_at - session.now())),
});

/** Records with the call that it was approved, or that a person was asked. */
const mark = (
  session: AgentSession,
  { tool_call_id: id }: OpenCall,
  approval: OpenApproval,
  events: DraftEvent[] = [],
): Promise<number> =>
  session.step(({ board }) => ({
    state: {
      ...board,
      calls: board.calls.map((each) => (each.tool_call_id === id ? { ...each, approval } : each)),
    },
    events,
  }));

async function ask(
  session: AgentSession,
  call: OpenCall,
  { tool, args, node }: FoundCall,
  waitMs: number,
): Promise<Gate> {
  const { deadlineAt, dispatchId, source, spec, board } = session;
  const reserve = Math.min(REPORT_MS, spec.limits.timeoutSeconds * 1_000 * REPORT_SHARE);
  const open: OpenApproval = {
    approval_id: approvalIdOf(call.tool_call_id),
    expires_at: Math.min(session.now() + waitMs, Math.round(deadlineAt - reserve)),
  };
  if (open.expires_at <= session.now()) return expired(open);
  const { message, risk } = tool.change?.(node) ?? {
    message: `Run ${tool.name} on ${node.name}.`,
    risk: `It changes ${node.name}.`,
  };
  const asked: DraftEvent = {
    name: 'system.approval',
    source,
    data: {
      approval_id: open.approval_id,
      tool_call_id: call.tool_call_id,
      dispatch_id: dispatchId,
      turn: board.turn,
      tool: tool.name,
      args: { ...args },
      args_digest: digestOfCall({ tool: tool.name, args, message }),
      node: node.id,
      risk,
      expires_at: new Date(open.expires_at).toISOString(),
      message,
    },
  };
  await mark(session, call, open, [asked]);
  return waitFor(session, open);
}

/** The decision in the log. Once the time is up, that is at the latest `expired`. */
async function decisionOn(
  session: AgentSession,
  log: LogPort,
  { approval_id, expires_at }: OpenApproval,
): Promise<RunEvent<'system.decision'> | undefined> {
  const { runId } = session;
  const read = async () =>
    (await log.given(runId, decidedOnce(approval_id))) as RunEvent<'system.decision'> | undefined;
  const found = await read();
  if (found || session.now() < expires_at) return found;
  // A person may decide at this moment: the log accepts only one of both.
  const event: DraftEvent = {
    name: 'system.decision',
    source: null,
    data: {
      approval_id,
      decision: 'expired',
      by: null,
      message: 'It was not approved in time: it is not carried out.',
    },
  };
  const noted = await log.note(runId, [event]);
  // The run has ended or is about to end: the next step of the session reports that.
  return noted === 'ok' ? read() : undefined;
}
