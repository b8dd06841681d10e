import type { OpenCall } from '../../domain/blackboard.js';
import { isWhole, READ_AGAIN } from '../../domain/context/view.js';
import type { DraftEvent, ToolCallStatus } from '../../domain/events/event.js';
import { textOf, type Json } from '../../lib/json.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { clip } from '../../lib/text.js';
import { QuarantinedError } from '../../tools/limits/probe-places.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';
import { abortable } from '../runtime/abortable.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { boundResult, errorText } from './bound-result.js';
import { checkArgs } from '../runtime/check-args.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import { readResult } from './read-result.js';
import { isRemindSelf, REMIND_SELF, remindSelf } from './remind-self.js';
import type { OwnResult } from '../roles/role-behaviour.js';

interface Outcome {
  status: ToolCallStatus;
  result: ToolResult | { error: string };
  duration_ms: number;
  truncated?: boolean;
  /** Its target is quarantined, so that it was not called. */
  quarantined?: true;
  /** Of a tool of the role's own: takes the place of `result`. */
  own?: OwnResult;
}

/**
 * Runs the calls of a turn, some at a time, and records each result as it comes.
 * @param signal fires when the tree does not want them any more: they have timed out
 */
export async function runTools(
  session: AgentSession,
  tools: ToolRegistry,
  signal: AbortSignal,
): Promise<'success'> {
  const queue = [...session.board.calls];
  const lane = async () => {
    for (let call = queue.shift(); call; call = queue.shift())
      await recordResult(session, call, await runTool(session, tools, call, signal));
  };
  const lanes = Math.min(session.spec.limits.maxParallelTools, queue.length);
  await Promise.all(Array.from({ length: lanes }, lane));
  return 'success';
}

async function runTool(
  session: AgentSession,
  tools: ToolRegistry,
  call: OpenCall,
  cut: AbortSignal,
): Promise<Outcome> {
  const refuse = (error: string): Outcome => ({
    status: 'error',
    result: { error },
    duration_ms: 0,
  });
  if (call.interrupted)
    return {
      status: 'interrupted',
      result: { error: 'its process was lost while it ran; it is not safe to repeat' },
      duration_ms: 0,
    };
  if (call.fault !== undefined) return refuse(call.fault);
  if (call.tool === READ_AGAIN) return outcomeOf(readResult(session, call.args));
  if (isRemindSelf(call.tool)) return outcomeOf(remindSelf(session, call.args));
  const own = runOwn(session, call, cut);
  if (own) return own;
  const allowed = session.role.diagnostic?.(session.spec) ?? session.place.worker?.tools ?? [];
  const tool = allowed.includes(call.tool) ? tools.get(call.tool) : undefined;
  if (!tool)
    return refuse(`There is no tool "${call.tool}" here. Tools: ${offered(session).join(', ')}`);
  const checked = checkArgs(tool.args, call.args);
  if ('fault' in checked) return refuse(checked.fault);
  const { args } = checked;
  const node = session.node(args.node);
  if (!node) return refuse(`node: there is no node "${args.node}" in this topology`);
  // A tool that does not listen to its signal must not hold up its worker.
  return timed(session, cut, async (signal) =>
    boundResult(
      await abortable(
        tools.run(tool, args, { node, topology: session.spec.topology, signal }),
        signal,
      ),
    ),
  );
}

/** Names of the tools that an agent's model is offered. */
const offered = ({ role, spec, place, board }: AgentSession): string[] => [
  ...[...role.tools(spec, place), REMIND_SELF].map(({ name }) => name),
  ...(isWhole(board.view) ? [] : [READ_AGAIN]),
];

const outcomeOf = (result: Outcome['result']): Outcome => ({
  status: 'error' in result ? 'error' : 'ok',
  result,
  duration_ms: 0,
});

/** A tool of the role's own, if it has one of this name. */
function runOwn(
  session: AgentSession,
  { tool, args, tool_call_id: callId }: OpenCall,
  cut: AbortSignal,
): Promise<Outcome> | undefined {
  const { runId, spec, createdAt, role, place } = session;
  if (!role.run || !role.tools(spec, place).some(({ name }) => name === tool)) return undefined;
  if (role.diagnostic?.(spec).includes(tool)) return undefined;
  return timed(session, cut, async (signal) => {
    const own = await abortable(
      role.run?.(tool, args, { runId, spec, callId, createdAt, signal }) ??
        Promise.reject(new Error(`There is no tool "${tool}" here.`)),
      signal,
    );
    return { result: { error: '' }, own };
  });
}

/** Runs a call within its time. */
async function timed(
  session: AgentSession,
  cut: AbortSignal,
  run: (signal: AbortSignal) => Promise<Pick<Outcome, 'result' | 'truncated' | 'own'>>,
): Promise<Outcome> {
  if (session.deadline.aborted || cut.aborted)
    return { status: 'timeout', result: { error: overtime(session) }, duration_ms: 0 };
  const seconds = session.spec.limits.toolTimeoutSeconds;
  const timeout = AbortSignal.timeout(seconds * 1_000);
  const started = performance.now();
  const took = () => Math.round(performance.now() - started);
  try {
    return {
      status: 'ok',
      ...(await run(AbortSignal.any([session.ends, cut, timeout]))),
      duration_ms: took(),
    };
  } catch (error) {
    session.signal.throwIfAborted();
    if (session.deadline.aborted || cut.aborted)
      return { status: 'timeout', result: { error: overtime(session) }, duration_ms: took() };
    if (timeout.aborted)
      return {
        status: 'timeout',
        result: { error: `no result within ${seconds} s` },
        duration_ms: took(),
      };
    return {
      status: 'error',
      result: { error: errorText(error) },
      duration_ms: took(),
      ...(error instanceof QuarantinedError && { quarantined: true }),
    };
  }
}

const overtime = ({ deadline }: AgentSession): string =>
  deadline.aborted ? 'the time of the run is up' : 'the time that its behaviour gives it is up';

async function recordResult(
  session: AgentSession,
  call: OpenCall,
  outcome: Outcome,
): Promise<void> {
  const { status, result, duration_ms, truncated = false, own } = outcome;
  const { board, source } = session;
  const { tool, tool_call_id } = call;
  board.calls = board.calls.filter((open) => open !== call);
  const event: DraftEvent = {
    name: 'llm.tool_result',
    source,
    data: {
      ...{
        tool,
        result: own?.result ?? (result as unknown as Json),
        tool_call_id,
        status,
        duration_ms,
        truncated,
        ...session.turn,
      },
      ...(own?.sources && own.sources.length > 0 && { sources: own.sources }),
    },
  };
  const failed = status !== 'ok';
  const error = !own && 'error' in result ? { error: clip(result.error, 300) } : {};
  const node = textOf(call.args, 'node');
  emitAgentEvent(
    session,
    failed
      ? status === 'timeout'
        ? 'tool.call.timeout'
        : 'tool.call.failure'
      : 'tool.call.success',
    {
      ...{ tool_name: tool, tool_call_id, node, status, duration_ms },
      ...error,
    },
  );
  if (own?.stale)
    emitAgentEvent(session, 'source.stale', { tool_name: tool, tool_call_id, ...own.stale });
  if (board.calls.length === 0)
    emitAgentEvent(session, 'tool.batch.complete', { turn: board.turn });
  const sequence = await session.record(
    [event, ...notices(session, call, outcome)],
    // The id is told to the model: it is what a claim cites.
    [
      {
        role: 'result',
        id: tool_call_id,
        output: failed
          ? (result as Json)
          : (own?.result ?? ({ evidence: tool_call_id, ...result } as unknown as Json)),
        failed,
        ...(status === 'interrupted' && { interrupted: true as const }),
      },
    ],
  );
  session.evidence.set(tool_call_id, sequence);
}

/** What a person watching should be told of a result at once. Contract section 2. */
function notices(
  session: AgentSession,
  call: OpenCall,
  { result, quarantined }: Outcome,
): DraftEvent[] {
  const node = session.node(textOf(call.args, 'node'));
  if (!node) return [];
  if ('error' in result)
    return quarantined
      ? [session.error('NODE_QUARANTINED', `${node.name}: ${result.error}`, { node: node.id })]
      : [];
  const unreachable = result.issues.find(
    ({ symptom }) => symptom === 'unreachable' || symptom === 'nameless',
  );
  const kind = node.kind.toUpperCase().replace(/[^A-Z]+/g, '_');
  return [
    ...(unreachable
      ? [
          session.error(
            `${/^[A-Z]/.test(kind) ? kind : 'NODE'}_CONNECTION_FAILED`,
            `${node.name}: ${unreachable.title}`,
            { node: node.id },
          ),
        ]
      : []),
    ...(result.near ?? []).map(({ metric, value, threshold }) =>
      session.warning(
        'THRESHOLD_NEAR',
        `${node.name}: ${metric} is ${value}, near its threshold of ${threshold}`,
        {
          node: node.id,
          metric,
          value,
          threshold,
        },
      ),
    ),
  ];
}
