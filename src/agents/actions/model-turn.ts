import type { OpenCall, OpenDispatch } from '../../domain/blackboard.js';
import type { DraftEvent } from '../../domain/events/event.js';
import { textOf, type JsonObject } from '../../lib/json.js';
import { learn, tokensOf } from '../../domain/context/density.js';
import { detectLoop } from '../../domain/limits/repetition.js';
import type { ModelCalls } from '../../models/calls/model-calls.js';
import type { ModelEntry } from '../../models/models.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { callModel, type CallResult, type ModelTurn } from './call-model.js';
import { checkArgs } from '../runtime/check-args.js';
import { actionsOf } from './check-progress.js';
import { CONTROL_TOOLS, findTeam, findWorker, isControlTool } from '../runtime/control-tools.js';
import type { Message } from '../runtime/conversation.js';
import type { Cut } from './leaf-options.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import { loopDetected, tokenNotices, tokenReached } from './limit-notices.js';
import { limitReached } from './limits-reached.js';
import { usageEvent } from './usage-event.js';

/**
 * One turn of the model: streams what it says into the log, then records its usage and what it wants done as one step,
 * before anything is done. Success: the turn is recorded, also where the model failed or a limit was reached (then the agent
 * stops). Wait: the slot is to be given back until `session.parked` is over.
 */
export async function modelTurn(
  session: AgentSession,
  path: string,
  calls: ModelCalls,
  chainOf: (model: string) => readonly ModelEntry[],
  cut: Cut,
): Promise<'success' | 'wait'> {
  const { board } = session;
  if (board.reached !== null) return limitReached(session, path);
  const chain = cut.options.model === undefined ? session.chain : chainOf(cut.options.model);
  let result: CallResult;
  try {
    result = await callModel(session, calls, chain, cut);
  } catch (error) {
    session.signal.throwIfAborted();
    if (session.deadline.aborted) return limitReached(session, path, 'timeout');
    // What it said before it was cut off is not to be taken for a part of what comes next.
    if (cut.signal.aborted) board.nextAttempt = board.attempt + 1;
    throw error;
  }
  if (result.kind === 'parked') {
    session.parked = result.parked;
    return 'wait';
  }
  if (result.kind === 'spent') return limitReached(session, path, 'token');
  board.nextAttempt = 1;
  delete board.tries;
  delete board.notBefore;
  session.prepared = undefined;
  if (result.kind === 'answered') {
    const { usage, bytes } = result.turn;
    if (!usage.estimated) board.density = learn(board.density, { tokens: usage.input, bytes });
    await recordTurn(session, result.turn, path, cut.options.streamTo);
  } else {
    const { code, message, retryable } = result.error;
    board.stop = true;
    board.failed = true;
    board.failure = { code, message, retryable };
    board.reasons.push(code);
    await session.record(
      [session.error(code, message, { retryable, attempt: board.attempt })],
      [],
      path,
    );
  }
  return 'success';
}

function parseArgs(input: string): JsonObject | undefined {
  try {
    const args: unknown = JSON.parse(input === '' ? '{}' : input);
    return typeof args === 'object' && args !== null && !Array.isArray(args)
      ? (args as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

async function recordTurn(
  session: AgentSession,
  turn: ModelTurn,
  path: string,
  streamTo: readonly string[],
): Promise<void> {
  const { board, source } = session;
  for (const key of streamTo) board.own[key] = turn.text;
  const { input, output } = turn.usage;
  const events: DraftEvent[] = [usageEvent(source, session.turn, turn)];
  const assistant: Message = { role: 'assistant', text: turn.text, calls: [] };
  const refused: Message[] = [];
  const limit = session.spec.limits.maxToolCallsPerTurn;
  for (const call of turn.calls) {
    const id = `${session.dispatchId === null ? '' : `${session.dispatchId}_`}t${++board.toolCalls}`;
    const args = parseArgs(call.input);
    assistant.calls.push({ id, tool: call.tool, args: args ?? {} });
    if (isControlTool(call.tool) && args) {
      const fault = control(session, id, call.tool, args, events);
      if (fault !== null) refused.push({ role: 'result', id, output: fault, failed: true });
      continue;
    }
    const open: OpenCall = {
      tool_call_id: id,
      tool: call.tool,
      args: args ?? { unparsed: call.input.slice(0, 2_000) },
    };
    if (!args) open.fault = 'The arguments are not a JSON object.';
    else if (board.calls.length >= limit)
      open.fault = `At most ${limit} tool calls are made in a turn; this one was not.`;
    board.calls.push(open);
    emitAgentEvent(session, 'tool.call.pending', {
      tool_name: open.tool,
      tool_call_id: id,
      node: textOf(open.args, 'node'),
    });
    events.push({
      name: 'llm.tool_call',
      source,
      data: { tool: open.tool, args: open.args, tool_call_id: id, ...session.turn },
    });
  }
  if (turn.calls.length === 0) finish(session, turn, events);
  warnOfLoop(session, assistant, events);
  if (input + output > 0) events.push(...tokenNotices(session));
  // Counted by the provider, but for what is still to come. The runbook counts nothing.
  const { name, isFree } = turn.entry;
  const counted = turn.usage.estimated
    ? Math.max(input, tokensOf(board.density, turn.bytes))
    : input;
  board.context =
    isFree === true
      ? null
      : { tokens: counted + output, messages: session.messages.length + 1, model: name };
  // Calls and dispatches are on record before anything is done about them, and tokens are settled at once. Else the next step is near.
  const isLast = board.calls.length === 0 && board.waiting.length === 0 && input + output === 0;
  if (isLast) session.hold(events, [assistant, ...refused], path);
  else await session.record(events, [assistant, ...refused], path);
}

/** The model said its last word; one that was cut off is no whole answer. */
function finish(
  session: AgentSession,
  { finishReason, isBounded }: ModelTurn,
  events: DraftEvent[],
): void {
  session.board.stop = true;
  if (finishReason !== 'length') return;
  session.board.reasons.push(isBounded ? 'LIMIT_REACHED' : 'ANSWER_CUT');
  if (isBounded) events.push(tokenReached(session, 0));
}

/** The model is told too, with the results. The agent goes on. */
function warnOfLoop(
  session: AgentSession,
  assistant: Extract<Message, { role: 'assistant' }>,
  events: DraftEvent[],
): void {
  if (session.board.stop) return;
  const pattern = detectLoop(actionsOf([...session.messages, assistant]));
  if (pattern === null || !session.once('loop')) return;
  const { message, event } = loopDetected(session, pattern);
  events.push(event);
  emitAgentEvent(session, 'agent.loop.detected', { message, pattern });
}

/** Carries out what an agent says through a control tool. @returns what is wrong with it, for the model */
function control(
  session: AgentSession,
  callId: string,
  tool: keyof typeof CONTROL_TOOLS,
  args: JsonObject,
  events: DraftEvent[],
): string | null {
  const { board, place, spec, source } = session;
  const allowed = session.role.tools(spec, place).some((candidate) => candidate.name === tool);
  if (!allowed) return `${tool} is not one of your tools.`;
  if (tool === 'report') {
    const checked = checkArgs(CONTROL_TOOLS.report, args);
    if ('fault' in checked) return checked.fault;
    const { findings, ...rest } = checked.args;
    board.conclusion = {
      ...rest,
      findings: findings.map(({ symptom, ...f }) =>
        symptom === undefined ? f : { ...f, symptom },
      ),
    };
    board.stop = true;
    return null;
  }
  let open: OpenDispatch;
  if (tool === 'dispatch_team') {
    const checked = checkArgs(CONTROL_TOOLS.dispatch_team, args);
    if ('fault' in checked) return checked.fault;
    const team = findTeam(spec.topology, checked.args.team);
    if ('fault' in team) return team.fault;
    open = {
      dispatch_id: `d${++board.dispatches}`,
      call_id: callId,
      tool,
      agent_id: team.agentId,
      task: checked.args.task,
    };
    const { dispatch_id, task, agent_id } = open;
    events.push({
      name: 'dispatch.team',
      source,
      data: { team_name: team.name, task, dispatch_id, agent_id },
    });
  } else {
    const checked = checkArgs(CONTROL_TOOLS.dispatch_worker, args);
    if ('fault' in checked) return checked.fault;
    const worker = findWorker(spec.topology, place.team?.name ?? null, checked.args.worker);
    if ('fault' in worker) return worker.fault;
    const dispatchId = `${session.dispatchId ?? ''}_${++board.dispatches}`;
    open = {
      dispatch_id: dispatchId,
      call_id: callId,
      tool,
      agent_id: worker.agentId,
      task: checked.args.task,
    };
    const { dispatch_id, task, agent_id } = open;
    events.push({
      name: 'dispatch.worker',
      source,
      data: { worker_name: worker.name, task, dispatch_id, agent_id },
    });
  }
  board.waiting.push(open);
  session.unsent.add(open.dispatch_id);
  emitAgentEvent(session, 'subagent.start', {
    dispatch_id: open.dispatch_id,
    agent_id: open.agent_id,
  });
  return null;
}
