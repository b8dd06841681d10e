import type { OpenCall } from '../../../domain/blackboard.js';
import type { DraftEvent, ToolCallStatus } from '../../../domain/events/event.js';
import { textOf, type Json } from '../../../lib/json.js';
import { clip } from '../../../lib/text.js';
import { emitAgentEvent } from '../../notices/emit-agent-event.js';
import type { AgentSession, SessionDraft } from '../../runtime/agent-session.js';
import type { Message } from '../../runtime/conversation.js';
import type { StepResult } from '../../runtime/session-step.js';
import type { CallOutcome } from './call-outcome.js';
import { withName } from '../../../domain/diagnosis/wording.js';

/** The step that takes the result of a call. Changes the draft. */
export function takeResult(draft: SessionDraft, call: OpenCall, outcome: CallOutcome): StepResult {
  const {
    status,
    result,
    duration_ms,
    truncated = false,
    target,
    own,
    approval,
    reminder,
  } = outcome;
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
      ...(call.by_service && { by_service: true }),
      ...(approval && { approval }),
      ...draft.turn,
      ...(own?.sources && own.sources.length > 0 && { sources: own.sources }),
    },
  };
  const failed = status !== 'ok';
  emitAgentEvent(draft, typeOf(status), {
    tool_name: tool,
    tool_call_id,
    node: textOf(call.args, 'node'),
    status,
    duration_ms,
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

/**
 * A result as it is sent to a model: with its id, and without the single samples, which
 * `measurements` summarises.
 */
const forModel = (evidence: string, result: CallOutcome['result']): Json =>
  ({ evidence, ...result, ...('samples' in result && { samples: undefined }) }) as unknown as Json;

const typeOf = (status: ToolCallStatus) =>
  status === 'ok'
    ? 'tool.call.success'
    : status === 'timeout'
      ? 'tool.call.timeout'
      : 'tool.call.failure';

/** Warnings about a result for clients that follow the run. Contract section 2. */
function notices(session: AgentSession, call: OpenCall, { result }: CallOutcome): DraftEvent[] {
  const node = session.node(textOf(call.args, 'node'));
  if (!node) return [];
  if ('error' in result)
    return result.code === 'NODE_QUARANTINED'
      ? [session.error(result.code, withName(node.name, result.error), { node: node.id })]
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
            withName(node.name, unreachable.title),
            { node: node.id },
          ),
        ]
      : []),
    ...(result.near ?? []).map(({ metric, value, threshold }) =>
      session.warning(
        'THRESHOLD_NEAR',
        withName(node.name, `${metric} is ${value}, near its threshold of ${threshold}`),
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
