import type { EventData, NamedEvent } from '../../../src/client/index.js';
import { fieldsOf, numberOf, textOf } from './read.js';

/** A part of the oracle's answer, in the order in which it came. */
export type ChatStep =
  | { kind: 'text' | 'reasoning'; seq: number; text: string }
  | {
      kind: 'tool';
      seq: number;
      id: string;
      tool: string;
      args: Record<string, unknown>;
      status: 'pending' | EventData['llm.tool_result']['status'];
      durationMs: number | null;
      result: string;
      sources: { path: string; snippet: string }[];
    }
  | { kind: 'system'; seq: number; name: string; data: unknown };

export interface ChatTurn {
  id: string;
  question: string;
  steps: ChatStep[];
  /** `lost`: the connection was; the oracle continues. */
  state: 'sending' | 'running' | 'completed' | 'failed' | 'cancelled' | 'lost';
  runId: string | null;
  error: { code: string; message: string; retryable: boolean } | null;
  /** A wait for the provider: by the log's clock it began at `since`, and lasts `waitMs`. */
  retry: { message: string; since: number; waitMs: number } | null;
  contextTokens: number;
  contextMax: number;
  cost: number;
  /** Messages of the month, where they are limited. */
  quota: { used: number; limit: number } | null;
}

export const newTurn = (id: string, question: string): ChatTurn => ({
  id,
  question,
  steps: [],
  state: 'sending',
  runId: null,
  error: null,
  retry: null,
  contextTokens: 0,
  contextMax: 0,
  cost: 0,
  quota: null,
});

const RESULT = 4_000;

/** What one event makes of a turn. @param now ms since 1970, by this browser's clock */
export function foldChat(turn: ChatTurn, event: NamedEvent, now: number): ChatTurn {
  switch (event.name) {
    case 'lifecycle.started':
      return {
        ...turn,
        state: 'running',
        runId: event.run_id,
        contextTokens: event.data.context_tokens ?? turn.contextTokens,
        contextMax: event.data.max_context_tokens ?? turn.contextMax,
      };
    case 'llm.stream':
      return withText(turn, 'text', event.sequence, event.data.content);
    case 'llm.reasoning':
      return withText(turn, 'reasoning', event.sequence, event.data.thought);
    case 'llm.tool_call':
      return {
        ...turn,
        retry: null,
        steps: [
          ...turn.steps,
          {
            kind: 'tool',
            seq: event.sequence,
            id: event.data.tool_call_id,
            tool: event.data.tool,
            args: event.data.args,
            status: 'pending',
            durationMs: null,
            result: '',
            sources: [],
          },
        ],
      };
    case 'llm.tool_result':
      return { ...turn, steps: turn.steps.map((step) => withResult(step, event.data)) };
    case 'llm.usage':
      return {
        ...turn,
        contextTokens: event.data.context_tokens,
        contextMax: event.data.max_context_tokens,
        cost: turn.cost + (event.data.cost ?? 0),
      };
    case 'system.warning':
    case 'system.error':
      return withNotice(turn, event, now);
    case 'lifecycle.completed':
      return { ...turn, state: 'completed', retry: null };
    case 'lifecycle.failed': {
      const { code, error: message, retryable } = event.data;
      // Its error may have been said just before: once is enough.
      const steps = turn.steps.filter(
        (step) => step.kind !== 'system' || textOf(fieldsOf(step.data)['message']) !== message,
      );
      const error = { code, message, retryable };
      return { ...turn, steps, state: 'failed', retry: null, error };
    }
    case 'lifecycle.cancelled':
      return { ...turn, state: 'cancelled', retry: null };
    default:
      return turn;
  }
}

function withText(turn: ChatTurn, kind: 'text' | 'reasoning', seq: number, text: string): ChatTurn {
  const last = turn.steps.at(-1);
  const steps =
    last?.kind === kind
      ? [...turn.steps.slice(0, -1), { ...last, text: last.text + text }]
      : [...turn.steps, { kind, seq, text }];
  return { ...turn, steps, retry: null };
}

function withResult(step: ChatStep, data: EventData['llm.tool_result']): ChatStep {
  if (step.kind !== 'tool' || step.id !== data.tool_call_id) return step;
  const { status, duration_ms: durationMs, result, sources = [] } = data;
  const text = typeof result === 'string' ? result : JSON.stringify(result, null, 2);
  return { ...step, status, durationMs, result: text.slice(0, RESULT), sources };
}

function withNotice(
  turn: ChatTurn,
  { name, sequence, data }: Extract<NamedEvent, { name: 'system.warning' | 'system.error' }>,
  now: number,
): ChatTurn {
  const waitMs = numberOf(data['retry_in_ms']);
  if (waitMs !== undefined)
    return { ...turn, retry: { message: data.message, since: now, waitMs } };
  return { ...turn, steps: [...turn.steps, { kind: 'system', seq: sequence, name, data }] };
}

/** The page that a tool of the oracle opens: `runs/ID`. */
export function navigationIn(event: NamedEvent): string | null {
  if (event.name !== 'llm.tool_result') return null;
  const { action, page } = fieldsOf(event.data.result);
  return action === 'navigate' ? textOf(page) || null : null;
}
