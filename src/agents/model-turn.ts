import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider';
import type { OpenCall, OpenDispatch } from '../domain/blackboard.js';
import type { DraftEvent } from '../domain/event.js';
import type { JsonObject } from '../domain/json.js';
import { abortable } from './abortable.js';
import type { AgentSession } from './agent-session.js';
import { checkArgs } from './check-args.js';
import { CONTROL_TOOLS, findTeam, findWorker, isControlTool } from './control-tools.js';
import { toPrompt, type Message } from './conversation.js';
import { stopAtDeadline } from './start-turn.js';

interface Turned {
  text: string;
  calls: { tool: string; input: string }[];
  usage: LanguageModelV3Usage;
  finishReason: string;
}

const UNKNOWN_USAGE: LanguageModelV3Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

/** What a broken answer is called. Never its text alone: providers put request ids and worse in there. */
const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'the model gave no answer');

/**
 * One turn of the model: streams what it says into the log, then records its usage and what it wants done as one step,
 * before anything is done. Success: the turn is recorded, also where the model failed (then the agent stops).
 */
export async function modelTurn(session: AgentSession, path: string): Promise<'success' | 'failure'> {
  const { board } = session;
  board.attempt = board.nextAttempt;
  board.nextAttempt = 1;
  let turned: Turned;
  try {
    turned = await callModel(session);
  } catch (error) {
    session.signal.throwIfAborted();
    if (session.deadline.aborted) {
      await stopAtDeadline(session, path);
      return 'success';
    }
    board.stop = true;
    board.failed = true;
    board.reasons.push('AI_ERROR');
    const message = `The model "${session.place.binding.model ?? session.model?.name ?? 'runbook'}" failed: ${messageOf(error)}`;
    await session.record([session.error('AI_ERROR', message, { retryable: false, attempt: board.attempt })], [], path);
    return 'success';
  }
  await recordTurn(session, turned, path);
  return 'success';
}

async function callModel(session: AgentSession): Promise<Turned> {
  const { role, place, spec, model, ends } = session;
  if (!model) throw new Error('it is not configured; see GET /api/service/v1/models');
  const asked = model.model.doStream({
    prompt: toPrompt(role.system(spec, place), session.task, session.messages),
    tools: role.tools(spec, place),
    abortSignal: ends,
  });
  const reader = (await abortable(asked, ends)).stream.getReader();
  // A model that does not listen to its signal is left all the same: a cancelled reader has nothing more to read.
  const leave = () => void reader.cancel(ends.reason).catch(() => undefined);
  ends.addEventListener('abort', leave, { once: true });
  const turned: Turned = { text: '', calls: [], usage: UNKNOWN_USAGE, finishReason: '' };
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      ends.throwIfAborted();
      take(session, turned, next.value);
    }
  } finally {
    ends.removeEventListener('abort', leave);
    // After an error in the stream, what is left of it is not wanted.
    leave();
  }
  ends.throwIfAborted();
  if (turned.finishReason === '') throw new Error('its answer broke off');
  return turned;
}

function take(session: AgentSession, turned: Turned, part: LanguageModelV3StreamPart): void {
  switch (part.type) {
    case 'text-delta':
      turned.text += part.delta;
      return session.writer.delta('llm.stream', part.delta, session.turn);
    case 'reasoning-delta':
      return session.writer.delta('llm.reasoning', part.delta, session.turn);
    case 'tool-call':
      return void turned.calls.push({ tool: part.toolName, input: part.input });
    case 'finish':
      turned.usage = part.usage;
      turned.finishReason = part.finishReason.unified;
      return;
    case 'error':
      throw part.error instanceof Error ? part.error : new Error('it answered with an error');
    default:
      // Starts, ends, metadata: nothing to record.
      return;
  }
}

function parseArgs(input: string): JsonObject | undefined {
  try {
    const args: unknown = JSON.parse(input === '' ? '{}' : input);
    return typeof args === 'object' && args !== null && !Array.isArray(args) ? (args as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

async function recordTurn(session: AgentSession, turned: Turned, path: string): Promise<void> {
  const { board, source, model } = session;
  const input = turned.usage.inputTokens.total ?? 0;
  const output = turned.usage.outputTokens.total ?? 0;
  const events: DraftEvent[] = [
    {
      name: 'llm.usage',
      source,
      data: {
        ...session.turn,
        model: model?.name ?? '',
        input_tokens: input,
        output_tokens: output,
        context_tokens: input + output,
        max_context_tokens: model?.contextWindow ?? 0,
        finish_reason: turned.finishReason,
      },
    },
  ];
  const assistant: Message = { role: 'assistant', text: turned.text, calls: [] };
  const refused: Message[] = [];
  const limit = session.spec.limits.maxToolCallsPerTurn;
  for (const call of turned.calls) {
    const id = `${session.dispatchId === null ? '' : `${session.dispatchId}_`}t${++board.toolCalls}`;
    const args = parseArgs(call.input);
    assistant.calls.push({ id, tool: call.tool, args: args ?? {} });
    if (isControlTool(call.tool) && args) {
      const fault = control(session, id, call.tool, args, events);
      if (fault !== null) refused.push({ role: 'result', id, output: fault, failed: true });
      continue;
    }
    const open: OpenCall = { tool_call_id: id, tool: call.tool, args: args ?? { unparsed: call.input.slice(0, 2_000) } };
    if (!args) open.fault = 'The arguments are not a JSON object.';
    else if (board.calls.length >= limit) open.fault = `At most ${limit} tool calls are made in a turn; this one was not.`;
    board.calls.push(open);
    events.push({ name: 'llm.tool_call', source, data: { tool: open.tool, args: open.args, tool_call_id: id, ...session.turn } });
  }
  if (turned.calls.length === 0) board.stop = true;
  await session.record(events, [assistant, ...refused], path);
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
    board.conclusion = { ...rest, findings: findings.map(({ symptom, ...f }) => (symptom === undefined ? f : { ...f, symptom })) };
    board.stop = true;
    return null;
  }
  let open: OpenDispatch;
  if (tool === 'dispatch_team') {
    const checked = checkArgs(CONTROL_TOOLS.dispatch_team, args);
    if ('fault' in checked) return checked.fault;
    const team = findTeam(spec.topology, checked.args.team);
    if ('fault' in team) return team.fault;
    open = { dispatch_id: `d${++board.dispatches}`, call_id: callId, tool, agent_id: team.agentId, task: checked.args.task };
    const { dispatch_id, task, agent_id } = open;
    events.push({ name: 'dispatch.team', source, data: { team_name: team.name, task, dispatch_id, agent_id } });
  } else {
    const checked = checkArgs(CONTROL_TOOLS.dispatch_worker, args);
    if ('fault' in checked) return checked.fault;
    const worker = findWorker(spec.topology, place.team?.name ?? null, checked.args.worker);
    if ('fault' in worker) return worker.fault;
    const dispatchId = `${session.dispatchId ?? ''}_${++board.dispatches}`;
    open = { dispatch_id: dispatchId, call_id: callId, tool, agent_id: worker.agentId, task: checked.args.task };
    const { dispatch_id, task, agent_id } = open;
    events.push({ name: 'dispatch.worker', source, data: { worker_name: worker.name, task, dispatch_id, agent_id } });
  }
  board.waiting.push(open);
  return null;
}
