import type { AgentEvent } from '../../domain/notifications/agent-event.js';
import type { DeliveryContext } from '../../domain/notifications/deferral.js';
import type { RuleContext } from '../../domain/notifications/pump.js';
import { textOf } from '../../lib/json.js';
import { clip } from '../../lib/text.js';
import { bounded, type RuleView } from '../../notifications/rule-view.js';
import type { AgentSession } from '../runtime/agent-session.js';

/** The part of a conversation that is passed. */
const LAST_MESSAGES = 20;
const MESSAGE_LENGTH = 500;
const LAST_CALLS = 100;

/** How many results of each tool arrived, and how many calls had none. */
export interface Tally {
  done: Map<string, number>;
  failed: Map<string, number>;
  calls: { name: string; success: boolean }[];
}

export function tallyOf(session: AgentSession): Tally {
  const tally: Tally = { done: new Map(), failed: new Map(), calls: [] };
  for (const { tool, failed } of session.answers()) {
    const counts = failed ? tally.failed : tally.done;
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
    tally.calls.push({ name: tool, success: !failed });
  }
  return tally;
}

/**
 * The values that an expression and a template may read; `event` and `state` are added by the pump.
 * See docs/notifications.md.
 */
export function contextOf(
  session: AgentSession,
  tally: Tally,
  { payload }: AgentEvent,
): RuleContext {
  const { board, spec, source, messages, tokenUsage, contextUsage } = session;
  const { topology, limits } = spec;
  const failures = [...tally.failed.values()].reduce((sum, count) => sum + count, 0);
  return {
    turn: {
      number: BigInt(board.turn),
      token_usage: tokenUsage,
      context_usage: contextUsage,
      iteration_count: BigInt(board.turn),
      iteration_limit: BigInt(limits.maxIterations),
    },
    history: {
      // Built only if it is read.
      get messages() {
        return messages.slice(-LAST_MESSAGES).map((message) => {
          const content = message.role === 'result' ? JSON.stringify(message.output) : message.text;
          return {
            role: message.role,
            content: clip(content.slice(0, 2 * MESSAGE_LENGTH), MESSAGE_LENGTH),
          };
        });
      },
      tools: tally.calls.slice(-LAST_CALLS),
      failures: Object.fromEntries([...tally.failed].map(([tool, count]) => [tool, BigInt(count)])),
      total_tool_calls: BigInt(tally.calls.length),
      total_failures: BigInt(failures),
    },
    topology: {
      id: BigInt(topology.id),
      name: topology.name,
      // No endpoints: they may hold credentials.
      get nodes() {
        return bounded(
          topology.nodes.map(({ id, name, kind, dependsOn }) => ({ id, name, kind, dependsOn })),
        );
      },
    },
    agent: {
      id: source.agent_id,
      type: source.agent_type,
      name: source.agent_name,
      team: source.team_name,
    },
    result: resultOf(session, payload),
  };
}

function resultOf({ messages }: AgentSession, payload: AgentEvent['payload']) {
  const id = textOf(payload, 'tool_call_id');
  const message =
    id === ''
      ? undefined
      : messages.findLast((candidate) => candidate.role === 'result' && candidate.id === id);
  const result = message?.role === 'result' ? message : undefined;
  const took = payload['duration_ms'];
  return {
    tool_name: textOf(payload, 'tool_name'),
    success: result ? !result.failed : false,
    get result() {
      return result && !result.failed ? bounded(result.output) : null;
    },
    error: textOf(payload, 'error') || null,
    duration_ms: typeof took === 'number' ? BigInt(Math.round(took)) : 0n,
    characters: result ? BigInt(JSON.stringify(result.output).length) : 0n,
  };
}

/** The same as a condition sees it. */
export const viewOf = (
  { done, failed }: Tally,
  { contextUsage, messages }: DeliveryContext,
  context: RuleContext,
): RuleView => ({
  // Copied only for a condition that reads them.
  values: {
    ...context,
    get event() {
      return bounded(context['event']);
    },
    get state() {
      return bounded(context['state']);
    },
  },
  completed: (tool) => done.get(tool) ?? 0,
  failed: (tool) => failed.get(tool) ?? 0,
  contextUsage,
  messages,
});
