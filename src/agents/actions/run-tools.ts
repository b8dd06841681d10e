import type { OpenCall } from '../../domain/blackboard.js';
import { isWhole, READ_AGAIN } from '../../domain/context/view.js';
import type { DraftEvent, ToolCallStatus } from '../../domain/events/event.js';
import { textOf, type Json, type JsonObject } from '../../lib/json.js';
import type { Measures, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { clip } from '../../lib/text.js';
import { QuarantinedError } from '../../tools/limits/probe-places.js';
import { SourceError } from '../../sources/http/source-error.js';
import { EgressDeniedError } from '../../tools/egress/egress-policy.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';
import { abortable } from '../../lib/async.js';
import { mapTexts } from '../../lib/redact-secrets.js';
import { redactorOf } from '../runtime/redactor.js';
import type { AgentSession, Draft } from '../runtime/agent-session.js';
import type { StepResult } from '../runtime/session-step.js';
import type { Message } from '../runtime/conversation.js';
import type { Action } from './action.js';
import { boundResult, errorText } from './tools/bound-result.js';
import { checkArgs } from '../runtime/check-args.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import { reachOf } from './tools/reach.js';
import { subjectOf } from './tools/subject-of.js';
import { readResult } from './tools/read-result.js';
import { isRemindSelf, REMIND_SELF, remindSelf } from './tools/remind-self.js';
import type { OwnResult, ReportProgress } from '../roles/role-behaviour.js';
import { withProgress } from './tools/tool-progress.js';

interface Outcome {
  status: ToolCallStatus;
  result: ToolResult | { error: string; code?: string };
  duration_ms: number;
  truncated?: boolean;
  /** What a diagnostic tool was to measure. */
  target?: { node: string; subject: string; measures: Measures };
  /** Of a tool of the role's own: takes the place of `result`. */
  own?: OwnResult;
  /** The call was not made, since something was wrong with it: it says nothing of its node. */
  refused?: true;
  /** A reminder that the model asked for. */
  reminder?: JsonObject;
}

/** Runs the calls of a turn, `maxParallelTools` at a time, and records each result as it comes. */
export const runTools: Action = {
  name: 'run-tools',
  run({ session, abort, ports: { tools } }, { calls }) {
    if (calls.length === 0) return { outcome: 'success' };
    const { signal } = abort;
    const queue = [...calls];
    const lane = async () => {
      for (let call = queue.shift(); call; call = queue.shift()) {
        const open = call;
        const outcome = await withProgress(session, open, (report) =>
          runTool({ session, tools, report }, open, signal),
        );
        const shown = mapTexts(outcome, redactorOf(session.spec));
        await session.step((draft) => takeResult(draft, open, shown));
      }
    };
    const lanes = Math.min(session.spec.limits.maxParallelTools, queue.length);
    return Promise.all(Array.from({ length: lanes }, lane)).then(() => ({ outcome: 'success' }));
  },
};

interface Place {
  session: AgentSession;
  tools: ToolRegistry;
  report: ReportProgress;
}

async function runTool(
  { session, tools, report }: Place,
  call: OpenCall,
  cut: AbortSignal,
): Promise<Outcome> {
  const refuse = (error: string): Outcome => ({
    status: 'error',
    result: { error },
    duration_ms: 0,
    refused: true,
  });
  if (call.interrupted)
    return {
      status: 'interrupted',
      result: { error: 'its process was lost while it ran; it is not safe to repeat' },
      duration_ms: 0,
    };
  if (call.fault !== undefined) return refuse(call.fault);
  if (call.tool === READ_AGAIN) return outcomeOf(readResult(session, call.args));
  if (isRemindSelf(call.tool)) {
    const { reminder, ...outcome } = remindSelf(session, call.args);
    return { ...outcomeOf(outcome.result), ...(reminder && { reminder }) };
  }
  const own = runOwn({ session, report }, call, cut);
  if (own) return own;
  const allowed = session.role.diagnostic?.(session.spec) ?? session.place.worker?.tools ?? [];
  const tool = allowed.includes(call.tool) ? tools.get(call.tool) : undefined;
  if (!tool)
    return refuse(`There is no tool "${call.tool}" here. Tools: ${offered(session).join(', ')}`);
  const checked = checkArgs(tool.args, call.args);
  if ('fault' in checked) return refuse(checked.fault);
  const { args } = checked;
  const reach = reachOf(session.spec.topology, session.place, tool.access);
  const node = reach.find(({ id }) => id === args.node);
  if (!node)
    return refuse(
      `node: "${clip(args.node, 100)}" is not a node that you may look at. Nodes: ${reach.map(({ id }) => id).join(', ')}`,
    );
  // A tool that does not listen to its signal must not hold up its worker.
  const outcome = await timed(session, cut, async (signal) =>
    boundResult(
      await abortable(
        tools.run(tool, args, { node, topology: session.spec.topology, signal }),
        signal,
      ),
    ),
  );
  const subject = subjectOf(args, tool.subject);
  return { ...outcome, target: { node: node.id, subject, measures: tool.measures(node) } };
}

/** Names of the tools that an agent's model is offered. */
const offered = ({ role, spec, place, board }: AgentSession): string[] => [
  ...role.tools(spec, place).map(({ name }) => name),
  ...(place.type === 'oracle' ? [REMIND_SELF.name] : []),
  ...(isWhole(board.view) ? [] : [READ_AGAIN]),
];

const outcomeOf = (result: Outcome['result']): Outcome => ({
  status: 'error' in result ? 'error' : 'ok',
  result,
  duration_ms: 0,
});

/** A tool of the role's own, if it has one of this name. */
function runOwn(
  { session, report }: Omit<Place, 'tools'>,
  { tool, args, tool_call_id: callId }: OpenCall,
  cut: AbortSignal,
): Promise<Outcome> | undefined {
  const { runId, spec, createdAt, role, place } = session;
  if (!role.run || !role.tools(spec, place).some(({ name }) => name === tool)) return undefined;
  if (role.diagnostic?.(spec).includes(tool)) return undefined;
  return timed(session, cut, async (signal) => {
    const own = await abortable(
      role.run?.(tool, args, { runId, spec, callId, createdAt, signal, report }) ??
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
    const mayNotLook = error instanceof SourceError && error.failure === 'refused';
    const denied = error instanceof EgressDeniedError;
    return {
      status: denied || mayNotLook ? 'denied' : 'error',
      result: {
        error: errorText(error),
        ...((denied || error instanceof QuarantinedError) && { code: error.code }),
        ...(mayNotLook && { code: 'FORBIDDEN' }),
      },
      duration_ms: took(),
    };
  }
}

const overtime = ({ deadline }: AgentSession): string =>
  deadline.aborted ? 'the time of the run is up' : 'the time that its behaviour gives it is up';

/** The step that takes the result of a call. Changes the draft. */
function takeResult(draft: Draft, call: OpenCall, outcome: Outcome): StepResult {
  const { status, result, duration_ms, truncated = false, target, own, reminder } = outcome;
  const { board, source } = draft;
  const { tool, tool_call_id } = call;
  board.calls = board.calls.filter((open) => open.tool_call_id !== tool_call_id);
  const event: DraftEvent = {
    name: 'llm.tool_result',
    source,
    data: {
      tool,
      result: own?.result ?? (result as unknown as Json),
      tool_call_id,
      status,
      duration_ms,
      truncated,
      ...target,
      ...draft.turn,
      ...(own?.sources && own.sources.length > 0 && { sources: own.sources }),
    },
  };
  const failed = status !== 'ok';
  emitAgentEvent(draft, typeOf(status), {
    ...{ tool_name: tool, tool_call_id, node: textOf(call.args, 'node'), status, duration_ms },
    ...(!own && 'error' in result && { error: clip(result.error, 300) }),
  });
  if (reminder) emitAgentEvent(draft, 'agent.self.remind', reminder);
  if (own?.stale)
    emitAgentEvent(draft, 'source.stale', { tool_name: tool, tool_call_id, ...own.stale });
  if (board.calls.length === 0) emitAgentEvent(draft, 'tool.batch.complete', { turn: board.turn });
  const message: Message = {
    role: 'result',
    id: tool_call_id,
    // A claim cites the id.
    output: failed ? (result as Json) : (own?.result ?? forModel(tool_call_id, result)),
    failed,
    ...(status === 'interrupted' && { interrupted: true as const }),
    ...(outcome.refused && { refused: true as const }),
  };
  return { state: board, events: [event, ...notices(draft, call, outcome)], messages: [message] };
}

/** A result as a model reads it: with its id, and without the single samples, which `measurements` sums up. */
const forModel = (evidence: string, result: Outcome['result']): Json =>
  ({ evidence, ...result, ...('samples' in result && { samples: undefined }) }) as unknown as Json;

const typeOf = (status: ToolCallStatus) =>
  status === 'ok'
    ? 'tool.call.success'
    : status === 'timeout'
      ? 'tool.call.timeout'
      : 'tool.call.failure';

/** Warnings of a result that people who watch see at once. Contract section 2. */
function notices(session: AgentSession, call: OpenCall, { result }: Outcome): DraftEvent[] {
  const node = session.node(textOf(call.args, 'node'));
  if (!node) return [];
  if ('error' in result)
    return result.code === 'NODE_QUARANTINED'
      ? [session.error(result.code, `${node.name}: ${result.error}`, { node: node.id })]
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
