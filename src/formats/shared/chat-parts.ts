import { isBrokenOff } from '../../domain/provider/broken-off.js';
import type { EventData, NamedEvent, ResultSource, Usage } from '../../domain/events/event.js';
import type { Json, JsonObject } from '../../lib/json.js';
import { errorText, resultText } from './result-text.js';
import {
  conclude,
  settle,
  silence,
  speak,
  type TurnText,
  type TurnTextStep,
  type Voice,
} from './turn-text.js';
import { UNANSWERED } from './error-messages.js';
import { withNextSteps } from './next-steps.js';
import { noticeOf } from './approval-notice.js';
import { countWait, waitTotals, type ProviderWaits } from './provider-waits.js';
import { addSources, answerSources } from './sources.js';

/** A call without a result. Its id is unique in a conversation, in which every turn is a run. */
interface OpenCall {
  id: string;
  name: string;
  args: JsonObject;
}

/** A part of the stream in a format that shows one speaker and no agent names. */
export type ChatPart =
  | { kind: 'start'; data: EventData['lifecycle.started'] }
  /** `gap`: an earlier block of this voice exists. */
  | { kind: Voice; text: string; fresh: boolean; gap: boolean }
  | ({ kind: 'call' } & OpenCall)
  | ({
      kind: 'result';
      ok: boolean;
      result: string;
      json: Json;
    } & OpenCall)
  /** `call`: the open call that the notice is about. */
  | { kind: 'notice'; data: EventData['system.warning']; call?: OpenCall }
  | {
      kind: 'completed';
      data: EventData['lifecycle.completed'];
      sources: readonly ResultSource[];
    }
  | { kind: 'failed'; data: EventData['lifecycle.failed'] }
  | { kind: 'cancelled' };

/** Returns the text that a client appends: a blank line separates two blocks. */
export const shownText = ({ text, gap }: { text: string; gap: boolean }): string =>
  gap ? `\n\n${text}` : text;

/** The state of such a format for a run. */
export interface ChatState {
  runId: string;
  startedAt: number;
  /** The timestamp of the latest event. ms since 1970. */
  at: number;
  sessionId: string | null;
  contextId: string | null;
  text: TurnText;
  spoken: Readonly<Record<Voice, boolean>>;
  calls: Readonly<Record<string, OpenCall>>;
  /** The sources of the results so far. */
  sources: readonly ResultSource[];
  waits: ProviderWaits;
  /** The model in the last turn of the top-level agent. */
  model: string | null;
  contextTokens: number;
  maxContextTokens: number | null;
  usage: Usage;
}

export const BEFORE: ChatState = {
  runId: '',
  startedAt: 0,
  at: 0,
  sessionId: null,
  contextId: null,
  text: silence(false),
  spoken: { text: false, thought: false },
  calls: {},
  sources: [],
  waits: {},
  model: null,
  contextTokens: 0,
  maxContextTokens: null,
  usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
};

/**
 * Converts an event into chat parts. Only the text of the top-level agent is included, because
 * these formats cannot attribute text to an agent. Calls of all agents and dispatches become calls
 * with ids. A diagnosis ends with its summary.
 */
export function toChatParts(before: ChatState, event: NamedEvent): [ChatState, ChatPart[]] {
  const state = { ...before, at: Date.parse(event.timestamp) };
  switch (event.name) {
    case 'lifecycle.started':
      return begin(state, event.run_id, event.data);
    case 'llm.stream':
      return event.data.dispatch_id === null
        ? say(state, speak(state.text, event.data, 'text', event.data.content))
        : [state, []];
    case 'llm.reasoning':
      return event.data.dispatch_id === null
        ? say(state, speak(state.text, event.data, 'thought', event.data.thought))
        : [state, []];
    case 'llm.usage':
      return count(state, event.data);
    case 'llm.tool_call':
      return call(state, {
        id: event.data.tool_call_id,
        name: event.data.tool,
        args: event.data.args,
      });
    case 'dispatch.team':
    case 'dispatch.worker': {
      const { dispatch_id: id, task } = event.data;
      const args: JsonObject =
        event.name === 'dispatch.team'
          ? { team: event.data.team_name, task }
          : { worker: event.data.worker_name, task };
      return call(state, { id, name: event.name.replace('.', '_'), args });
    }
    case 'llm.tool_result': {
      const { tool_call_id, status, result, sources = [] } = event.data;
      const ok = status === 'ok';
      const text = ok ? resultText(result) : errorText(result);
      const cited = { ...state, sources: addSources(state.sources, sources) };
      return answer(cited, tool_call_id, { ok, result: text, json: result });
    }
    case 'dispatch.report': {
      const { dispatch_id, status, summary } = event.data;
      const ok = status !== 'failed';
      return answer(state, dispatch_id, { ok, result: summary, json: summary });
    }
    case 'system.warning':
    case 'system.error':
      return notice(state, event.data);
    case 'system.approval':
    case 'system.decision':
      return notice(state, noticeOf(event));
    case 'system.topology':
      return [state, []];
    case 'lifecycle.completed':
      return complete(state, event.data);
    case 'lifecycle.failed': {
      const [over, parts] = stop(state);
      return [over, [...parts, { kind: 'failed', data: event.data }]];
    }
    case 'lifecycle.cancelled': {
      const [over, parts] = stop(state);
      return [over, [...parts, { kind: 'cancelled' }]];
    }
  }
}

function begin(
  state: ChatState,
  runId: string,
  data: EventData['lifecycle.started'],
): [ChatState, ChatPart[]] {
  const now: ChatState = {
    ...state,
    runId,
    startedAt: state.at,
    sessionId: data.session_id ?? null,
    contextId: data.context_id ?? null,
    text: silence(data.kind === 'chat'),
    contextTokens: data.context_tokens ?? 0,
    maxContextTokens: data.max_context_tokens ?? null,
  };
  return [now, [{ kind: 'start', data }]];
}

function say(state: ChatState, [text, pieces]: TurnTextStep): [ChatState, ChatPart[]] {
  let { spoken } = state;
  const parts = pieces.map(({ voice, text: shown, fresh }): ChatPart => {
    const gap = fresh && spoken[voice];
    spoken = { ...spoken, [voice]: true };
    return { kind: voice, text: shown, fresh, gap };
  });
  return [{ ...state, text, spoken }, parts];
}

function count(state: ChatState, data: EventData['llm.usage']): [ChatState, ChatPart[]] {
  const usage = {
    input_tokens: state.usage.input_tokens + data.input_tokens,
    output_tokens: state.usage.output_tokens + data.output_tokens,
    total_tokens: data.total_tokens,
  };
  if (data.dispatch_id !== null || isBrokenOff(data)) return [{ ...state, usage }, []];
  const { model, context_tokens: contextTokens, max_context_tokens: maxContextTokens } = data;
  return say({ ...state, usage, model, contextTokens, maxContextTokens }, settle(state.text));
}

const named = ({ runId }: ChatState, call: OpenCall): OpenCall => ({
  ...call,
  id: `${runId}:${call.id}`,
});

function notice(state: ChatState, data: EventData['system.warning']): [ChatState, ChatPart[]] {
  const [waits, shown] = countWait(state.waits, data);
  const id = data['tool_call_id'];
  const open = typeof id === 'string' ? state.calls[id] : undefined;
  const part: ChatPart = { kind: 'notice', data, ...(open && { call: named(state, open) }) };
  return [{ ...state, waits }, shown ? [part] : []];
}

function call(state: ChatState, open: OpenCall): [ChatState, ChatPart[]] {
  const calls = { ...state.calls, [open.id]: open };
  return [{ ...state, calls }, [{ kind: 'call', ...named(state, open) }]];
}

interface CallOutcome {
  ok: boolean;
  result: string;
  json: Json;
}

function answer(state: ChatState, id: string, outcome: CallOutcome): [ChatState, ChatPart[]] {
  const { [id]: open, ...calls } = state.calls;
  if (!open) return [state, []];
  return [{ ...state, calls }, [{ kind: 'result', ...named(state, open), ...outcome }]];
}

/** Handles the end of a run: emits the text that was held back and closes the open calls. */
function stop(state: ChatState): [ChatState, ChatPart[]] {
  const [said, parts] = say(state, settle(state.text));
  const open = Object.values(state.calls).map((left): ChatPart => ({
    kind: 'result',
    ...named(state, left),
    ok: false,
    result: UNANSWERED,
    json: UNANSWERED,
  }));
  const waited = waitTotals(state.waits).map((data): ChatPart => ({ kind: 'notice', data }));
  return [{ ...said, calls: {}, waits: {} }, [...parts, ...open, ...waited]];
}

function complete(
  state: ChatState,
  data: EventData['lifecycle.completed'],
): [ChatState, ChatPart[]] {
  const [stopped, left] = stop(state);
  const [said, words] = say(stopped, conclude(stopped.text, withNextSteps(data)));
  const sources = answerSources(state.sources);
  return [
    { ...said, usage: data.usage },
    [...left, ...words, { kind: 'completed', data, sources }],
  ];
}
