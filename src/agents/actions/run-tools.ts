import type { OpenCall } from '../../domain/blackboard.js';
import { tenantOf } from '../../domain/tenant.js';
import { READ_AGAIN } from '../../domain/context/view.js';
import type { LogPort } from '../../event-log/log-port.js';
import { SourceError } from '../../sources/http/source-error.js';
import { EgressDeniedError } from '../../tools/egress/egress-policy.js';
import { UnmeasuredError } from '../../tools/unmeasured-error.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';
import { abortable, ClosableSignal } from '../../lib/async.js';
import { mapTexts } from '../../lib/redact-secrets.js';
import { foreignRedactorOf, redactorOf } from '../runtime/redactor.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { callsBefore } from '../runtime/calls-of.js';
import type { Action, ActionContext, ActionResult } from './action.js';
import { approvalOf, type Gate } from './tools/approval-gate.js';
import { boundResult, errorText } from './tools/bound-result.js';
import type { CallOutcome } from './tools/call-outcome.js';
import { findCall, type FoundCall } from './tools/find-call.js';
import { firstLookLeftOut, openForService } from './tools/first-looks.js';
import { isMeasuredUnhealthy } from './tools/measured-unhealthy.js';
import { subjectOf } from './tools/subject-of.js';
import { readResult } from './tools/read-result.js';
import { isRemindSelf, remindSelf } from './tools/remind-self.js';
import { takeResult } from './tools/take-result.js';
import type { ReportProgress } from '../roles/role-behaviour.js';
import { RefusedError } from '../../domain/errors.js';
import { withProgress } from './tools/tool-progress.js';

/**
 * Runs the calls of a turn, `maxParallelTools` at a time, and records each result when it arrives.
 * A result that the built-in planner can get again is recorded with the next step, if that follows
 * at once. Waits, without a slot, for the approval of calls that change something. If a worker's
 * model has ended its work, the calls of its first look that it omitted are made, too: see
 * docs/decisions/0010-measurements-decide.md.
 */
export const runTools: Action = {
  name: 'run-tools',
  run(context, { calls }) {
    const { session, ports } = context;
    const leftOut = firstLookLeftOut(session, ports.tools);
    if (leftOut.length > 0)
      return session
        .step((draft) => openForService(draft, leftOut))
        .then(() => runCalls(context, session.board.calls));
    return calls.length === 0 ? { outcome: 'success' } : runCalls(context, calls);
  },
};

/** Makes calls that are recorded. */
export function runCalls(
  { session, abort: { signal }, ports: { tools, log } }: ActionContext,
  calls: readonly OpenCall[],
): Promise<ActionResult> {
  const queue = [...calls];
  const waits: number[] = [];
  const take = (call: OpenCall, outcome: CallOutcome) => {
    const redactor = outcome.target === undefined ? redactorOf : foreignRedactorOf;
    const shown = mapTexts(outcome, redactor(session.spec));
    const step = takeResult(session.draft(), call, shown);
    // The built-in planner is about to take its next step.
    const hold = session.chain[0]?.isFree === true && tools.get(call.tool)?.repeatable === true;
    return hold ? session.hold(step) : session.record(step);
  };
  const lane = async () => {
    for (let call = queue.shift(); call; call = queue.shift()) {
      const open = call;
      const gate = await gateOf({ session, tools, log }, open);
      if (gate.kind === 'wait') waits.push(gate.ms);
      else if (gate.kind === 'closed') await take(open, gate.outcome);
      else {
        const outcome = await withProgress(session, open, (report) =>
          runTool({ session, tools, report }, open, signal),
        );
        await take(open, gate.approval ? { ...outcome, approval: gate.approval } : outcome);
      }
    }
  };
  const lanes = Math.min(session.spec.limits.maxParallelTools, queue.length);
  return Promise.all(Array.from({ length: lanes }, lane)).then(() =>
    waits.length === 0
      ? { outcome: 'success' }
      : { outcome: 'wait', parked: { ms: Math.min(...waits) } },
  );
}

/**
 * Whether a call may be made: one that changes its target needs an approval, which is asked for
 * only if the node was measured as unhealthy.
 */
async function gateOf(
  { session, tools, log }: { session: AgentSession; tools: ToolRegistry; log: LogPort },
  call: OpenCall,
): Promise<Gate | { kind: 'open'; approval?: undefined }> {
  if (call.interrupted || call.fault !== undefined) return { kind: 'open' };
  if (tools.get(call.tool)?.access !== 'change') return { kind: 'open' };
  const found = findCall(session, tools, call);
  if ('refusal' in found) return { kind: 'open' };
  const { id } = found.node;
  if (!call.approval && !(await isMeasuredUnhealthy(session, log, id)))
    return { kind: 'closed', outcome: refuse(notMeasuredUnhealthy(id), 'NOT_MEASURED') };
  return approvalOf(session, log, call, { ...found, waitMs: tools.approvalMs });
}

const notMeasuredUnhealthy = (id: string): string =>
  `Measure ${id} first: a node may be changed only if this run has measured it as unhealthy.`;

interface Place {
  session: AgentSession;
  tools: ToolRegistry;
  report: ReportProgress;
}

async function runTool(
  { session, tools, report }: Place,
  call: OpenCall,
  cut: AbortSignal,
): Promise<CallOutcome> {
  if (call.interrupted) return interrupted(session, tools, call);
  if (call.fault !== undefined) return refuse(call.fault);
  if (call.tool === READ_AGAIN) return outcomeOf(readResult(session, call.args));
  if (isRemindSelf(call.tool)) {
    const { reminder, ...outcome } = remindSelf(session, call.args);
    return { ...outcomeOf(outcome.result), ...(reminder && { reminder }) };
  }
  const own = runOwn({ session, report }, call, cut);
  if (own) return own;
  const found = findCall(session, tools, call);
  if ('refusal' in found) return refuse(found.refusal, 'NOT_MEASURED');
  const { tool, args, node } = found;
  const { topology, owner, userMessage: problem } = session.spec;
  const tenant = tenantOf(owner);
  const { runId } = session;
  const operation = `${runId}.${call.tool_call_id}`;
  const asked = { node, topology, problem, runId, operation, tenant };
  // If the time of the run ends meanwhile, the call is not made: `timed` says so.
  if (tool.ready) {
    const ends = AbortSignal.any([session.ends, cut]);
    await tools.ready(tool, { ...asked, signal: ends }).catch(() => undefined);
  }
  // A tool that ignores its signal must not block its worker.
  const limitMs = session.spec.limits.toolTimeoutSeconds * 1_000;
  const outcome = await timed(session, cut, async (signal) =>
    boundResult(await abortable(tools.run(tool, args, { ...asked, signal, limitMs }), signal)),
  );
  return { ...outcome, target: targetOf(found) };
}

const targetOf = ({ tool, args, node }: FoundCall): NonNullable<CallOutcome['target']> => ({
  node: node.id,
  subject: subjectOf(args, tool.subject),
  measures: tool.measures(node),
});

/**
 * A call that may have been made and is not safe to repeat. An approved one may have changed its
 * target.
 */
function interrupted(session: AgentSession, tools: ToolRegistry, call: OpenCall): CallOutcome {
  const { approval_id = '', started } = call.approval ?? {};
  const found = started && findCall(session, tools, call);
  return {
    status: 'interrupted',
    result: { error: 'its process was lost while it ran; it is not safe to repeat' },
    duration_ms: 0,
    ...(found && 'node' in found && { target: targetOf(found) }),
    ...(started && { approval: { approval_id, decision: 'approve', by: started.by } }),
  };
}

/** @param code of a call that measured nothing, because its arguments do not fit */
const refuse = (error: string, code?: 'NOT_MEASURED'): CallOutcome => ({
  status: 'error',
  result: { error, ...(code && { code }) },
  duration_ms: 0,
  refused: true,
});

const outcomeOf = (result: CallOutcome['result']): CallOutcome => ({
  status: 'error' in result ? 'error' : 'ok',
  result,
  duration_ms: 0,
});

/** A tool of the role's own, if it has one of this name. */
function runOwn(
  { session, report }: Omit<Place, 'tools'>,
  { tool, args, tool_call_id: callId }: OpenCall,
  cut: AbortSignal,
): Promise<CallOutcome> | undefined {
  const { runId, spec, createdAt, role, place } = session;
  if (!role.run || !role.tools(spec, place).some(({ name }) => name === tool)) return undefined;
  if (role.diagnostic?.(spec).includes(tool)) return undefined;
  const before = callsBefore(session.messages, { tool, id: callId });
  return timed(session, cut, async (signal) => {
    const own = await abortable(
      role.run?.(tool, args, {
        runId,
        spec,
        callId,
        before,
        createdAt,
        signal,
        report,
        leftMs: session.deadlineAt - session.now(),
        forProvider: session.chain.some(({ isFree }) => isFree !== true),
      }) ?? Promise.reject(new Error(`There is no tool "${tool}" here.`)),
      signal,
    );
    return { result: { error: '' }, own };
  });
}

/** Runs a call within its time. */
async function timed(
  session: AgentSession,
  cut: AbortSignal,
  run: (signal: AbortSignal) => Promise<Pick<CallOutcome, 'result' | 'truncated' | 'own'>>,
): Promise<CallOutcome> {
  if (session.deadline.aborted || cut.aborted)
    return { status: 'timeout', result: overtime(session), duration_ms: 0 };
  const seconds = session.spec.limits.toolTimeoutSeconds;
  const ms = Math.min(seconds * 1_000, session.deadline.leftMs);
  const ends = new ClosableSignal([session.signal, cut], ms);
  const started = performance.now();
  const took = () => Math.round(performance.now() - started);
  try {
    return {
      status: 'ok',
      ...(await run(ends.signal)),
      duration_ms: took(),
    };
  } catch (error) {
    session.signal.throwIfAborted();
    if (session.deadline.aborted || cut.aborted)
      return { status: 'timeout', result: overtime(session), duration_ms: took() };
    if (ends.signal.aborted)
      return {
        status: 'timeout',
        result: { error: `no result within ${seconds} s` },
        duration_ms: took(),
      };
    const mayNotLook = error instanceof SourceError && error.failure === 'refused';
    const unmeasured = unmeasuredBy(error);
    const denied = unmeasured instanceof EgressDeniedError;
    return {
      status: denied || mayNotLook ? 'denied' : 'error',
      result: {
        error: errorText(error),
        ...(unmeasured?.code !== undefined && { code: unmeasured.code }),
        ...(mayNotLook && { code: 'FORBIDDEN' }),
        ...(error instanceof RefusedError && { code: error.code }),
      },
      duration_ms: took(),
    };
  } finally {
    ends.close();
  }
}

/** Returns why the egress policy refused a connection of the tool or of its source. */
const unmeasuredBy = (error: unknown): UnmeasuredError | undefined =>
  error instanceof SourceError
    ? unmeasuredBy(error.cause)
    : error instanceof UnmeasuredError
      ? error
      : undefined;

const overtime = ({ deadline }: AgentSession): { error: string; code?: string } =>
  deadline.aborted
    ? { error: 'The time of the run was up before it answered.', code: 'LIMIT_REACHED' }
    : { error: 'the time limit of its behaviour was reached' };
