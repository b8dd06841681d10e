import { isBrokenOff } from '../../domain/provider/broken-off.js';
import type { EventData, NamedEvent, Turn } from '../../domain/events/event.js';
import { frame, type Encoder, type Frame } from '../encoder.js';
import { resultText } from '../shared/result-text.js';
import {
  conclude,
  settle,
  silence,
  speak,
  type Piece,
  type Speech,
  type Voice,
} from '../shared/turn-text.js';
import { UNANSWERED } from '../shared/error-messages.js';

/** A dispatch that has not reported. Each attempt of a turn is a sub-agent of its own: what the attempt before said stays with that. */
interface SubAgent {
  agentId: string;
  name: string;
  task: string;
  parent: string | null;
  /** Of the sub-agent as it is now. */
  id: string;
  attempts: number;
  turn: number;
  attempt: number;
}

interface TokenUsage {
  model: string;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
}

interface State {
  /** What ids begin with: unique, whatever a client calls its runs. */
  runId: string;
  /** The run as its client knows it. */
  shown: { threadId: string; runId: string };
  /** Of the agent at the top; what sub-agents say is shown as they say it. */
  speech: Speech;
  /** The message that is open, by the dispatch of who says it; '' is the top. */
  open: Readonly<Record<string, { id: string; voice: Voice }>>;
  subs: Readonly<Record<string, SubAgent>>;
  usage: Readonly<Record<string, TokenUsage>>;
}

/** The version of the protocol that is spoken. */
const PROTOCOL = '1.0';

type Made = [State, Frame[]];

const START: State = {
  runId: '',
  shown: { threadId: '', runId: '' },
  speech: silence(false),
  open: {},
  subs: {},
  usage: {},
};

const then = ([state, frames]: Made, next: (state: State) => Made): Made => {
  const [after, more] = next(state);
  return [after, [...frames, ...more]];
};

const keyOf = (state: State, dispatchId: string | null): string =>
  dispatchId !== null && state.subs[dispatchId] ? dispatchId : '';

/** Who an event is attributed to; nothing for the agent at the top. */
const tag = (state: State, key: string): { subagentRunId?: string } => {
  const sub = state.subs[key];
  return sub ? { subagentRunId: sub.id } : {};
};

const named = (state: State, id: string): string => `${state.runId}:${id}`;

function close(state: State, key: string): Made {
  const { [key]: message, ...open } = state.open;
  if (!message) return [state, []];
  const who = { messageId: message.id, ...tag(state, key) };
  const ends =
    message.voice === 'text' ? ['TEXT_MESSAGE_END'] : ['REASONING_MESSAGE_END', 'REASONING_END'];
  return [{ ...state, open }, ends.map((type) => frame({ type, ...who }))];
}

function utter(
  state: State,
  key: string,
  voice: Voice,
  delta: string,
  fresh: boolean,
  sequence: number,
  nth = 0,
): Made {
  const message = state.open[key];
  if (message?.voice === voice && !fresh) {
    const type = voice === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
    return [state, [frame({ type, messageId: message.id, delta, ...tag(state, key) })]];
  }
  const [closed, ends] = close(state, key);
  const id = named(state, `m${sequence}${nth === 0 ? '' : `.${nth}`}`);
  const who = { messageId: id, ...tag(state, key) };
  const starts =
    voice === 'text'
      ? [
          frame({ type: 'TEXT_MESSAGE_START', role: 'assistant', ...who }),
          frame({ type: 'TEXT_MESSAGE_CONTENT', delta, ...who }),
        ]
      : [
          frame({ type: 'REASONING_START', ...who }),
          frame({ type: 'REASONING_MESSAGE_START', role: 'reasoning', ...who }),
          frame({ type: 'REASONING_MESSAGE_CONTENT', delta, ...who }),
        ];
  return [{ ...closed, open: { ...closed.open, [key]: { id, voice } } }, [...ends, ...starts]];
}

function atTop(state: State, [speech, pieces]: [Speech, Piece[]], sequence: number): Made {
  let made: Made = [{ ...state, speech }, []];
  pieces.forEach(({ voice, text, fresh }, i) => {
    made = then(made, (now) => utter(now, '', voice, text, fresh, sequence, i));
  });
  return made;
}

const startOf = (sub: SubAgent): Frame =>
  frame({
    type: 'SUBAGENT_STARTED',
    subagentRunId: sub.id,
    name: sub.name,
    description: sub.task,
    ...(sub.parent === null ? {} : { parentSubagentRunId: sub.parent }),
  });

/** Another turn or attempt begins, perhaps: a message does not go on from one to the other. */
function enter(state: State, { dispatch_id, turn, attempt }: Turn): Made {
  const key = keyOf(state, dispatch_id);
  const sub = state.subs[key];
  if (!sub || (turn === sub.turn && attempt === sub.attempt)) return [state, []];
  const closed = close(state, key);
  if (turn !== sub.turn || attempt < sub.attempt)
    return then(closed, (now) => [
      { ...now, subs: { ...now.subs, [key]: { ...sub, turn, attempt } } },
      [],
    ]);
  const attempts = sub.attempts + 1;
  const next: SubAgent = {
    ...sub,
    turn,
    attempt,
    attempts,
    id: named(state, `${key}#${attempts}`),
  };
  const over = frame({
    type: 'SUBAGENT_ERROR',
    subagentRunId: sub.id,
    message: 'This attempt failed; another one follows.',
    code: 'SUPERSEDED',
  });
  return then(closed, (now) => [
    { ...now, subs: { ...now.subs, [key]: next } },
    [over, startOf(next)],
  ]);
}

function say(state: State, place: Turn, voice: Voice, text: string, sequence: number): Made {
  const key = keyOf(state, place.dispatch_id);
  if (key === '')
    return place.dispatch_id === null
      ? atTop(state, speak(state.speech, place, voice, text), sequence)
      : [state, []];
  return then(enter(state, place), (now) => utter(now, key, voice, text, false, sequence));
}

/** A turn is recorded: its words are over. */
function endTurn(state: State, place: Turn, sequence: number): Made {
  const key = keyOf(state, place.dispatch_id);
  const said: Made =
    key === '' && place.dispatch_id === null
      ? atTop(state, settle(state.speech), sequence)
      : enter(state, place);
  return then(said, (now) => close(now, key));
}

function dispatch(
  state: State,
  event: Extract<NamedEvent, { name: 'dispatch.team' | 'dispatch.worker' }>,
): Made {
  const { dispatch_id, agent_id: agentId, task } = event.data;
  const name = event.name === 'dispatch.team' ? event.data.team_name : event.data.worker_name;
  const sender = Object.values(state.subs).findLast(
    (sub) => sub.agentId === event.source?.agent_id,
  );
  const id = named(state, dispatch_id);
  const sub: SubAgent = {
    agentId,
    name,
    task,
    parent: sender?.id ?? null,
    id,
    attempts: 1,
    turn: 0,
    attempt: 1,
  };
  return [{ ...state, subs: { ...state.subs, [dispatch_id]: sub } }, [startOf(sub)]];
}

/** The sub-agent is done: `end` without its id. */
function leave(state: State, key: string, end: object): Made {
  const sub = state.subs[key];
  if (!sub) return [state, []];
  const { [key]: _, ...subs } = state.subs;
  return then(close(state, key), (now) => [
    { ...now, subs },
    [frame({ ...end, subagentRunId: sub.id })],
  ]);
}

function report(
  state: State,
  { dispatch_id, status, summary, reasons, findings }: EventData['dispatch.report'],
): Made {
  const end =
    status === 'failed'
      ? {
          type: 'SUBAGENT_ERROR',
          message: summary,
          ...(reasons[0] === undefined ? {} : { code: reasons[0] }),
        }
      : {
          type: 'SUBAGENT_FINISHED',
          result: { status, reasons, summary, findings },
          outcome: { type: 'success' },
        };
  return leave(state, dispatch_id, end);
}

function count(
  state: State,
  { model, input_tokens, output_tokens }: EventData['llm.usage'],
): State {
  const known = state.usage[model];
  const usage: TokenUsage = {
    model,
    inputTokens: (known?.inputTokens ?? 0) + input_tokens,
    outputTokens: (known?.outputTokens ?? 0) + output_tokens,
    totalTokens: (known?.totalTokens ?? 0) + input_tokens + output_tokens,
  };
  return { ...state, usage: { ...state.usage, [model]: usage } };
}

/** Closes everything that is open, sub-agents before those that sent them. */
function closeAll(state: State, sequence: number): Made {
  let made = atTop(state, settle(state.speech), sequence);
  for (const key of Object.keys(state.open)) made = then(made, (now) => close(now, key));
  for (const key of Object.keys(state.subs).toReversed())
    made = then(made, (now) =>
      leave(now, key, { type: 'SUBAGENT_ERROR', message: UNANSWERED, code: 'INTERRUPTED' }),
    );
  return then(made, (now) => close(now, ''));
}

function next(state: State, event: NamedEvent): Made {
  const { sequence } = event;
  switch (event.name) {
    case 'lifecycle.started': {
      const { run_id: runId } = event;
      const { kind, session_id, client_run_id } = event.data;
      const shown = { threadId: session_id ?? runId, runId: client_run_id ?? runId };
      const started = frame({ type: 'RUN_STARTED', protocolVersion: PROTOCOL, ...shown });
      return [{ ...START, runId, shown, speech: silence(kind === 'chat') }, [started]];
    }
    case 'llm.stream':
      return say(state, event.data, 'text', event.data.content, sequence);
    case 'llm.reasoning':
      return say(state, event.data, 'thought', event.data.thought, sequence);
    case 'llm.usage':
      return isBrokenOff(event.data)
        ? [count(state, event.data), []]
        : endTurn(count(state, event.data), event.data, sequence);
    case 'llm.tool_call': {
      const { tool, args, tool_call_id, dispatch_id } = event.data;
      return then(endTurn(state, event.data, sequence), (now) => {
        const who = { toolCallId: named(now, tool_call_id), ...tag(now, keyOf(now, dispatch_id)) };
        const frames = [
          frame({ type: 'TOOL_CALL_START', toolCallName: tool, ...who }),
          frame({ type: 'TOOL_CALL_ARGS', delta: JSON.stringify(args), ...who }),
          frame({ type: 'TOOL_CALL_END', ...who }),
        ];
        return [now, frames];
      });
    }
    case 'llm.tool_result': {
      const { tool_call_id, result, dispatch_id } = event.data;
      const ids = {
        messageId: named(state, `r${sequence}`),
        toolCallId: named(state, tool_call_id),
      };
      const who = tag(state, keyOf(state, dispatch_id));
      return [
        state,
        [
          frame({
            type: 'TOOL_CALL_RESULT',
            ...ids,
            role: 'tool',
            content: resultText(result),
            ...who,
          }),
        ],
      ];
    }
    case 'dispatch.team':
    case 'dispatch.worker':
      return dispatch(state, event);
    case 'dispatch.report':
      return report(state, event.data);
    case 'system.topology':
    case 'system.warning':
    case 'system.error': {
      const key =
        Object.keys(state.subs).findLast(
          (id) => state.subs[id]?.agentId === event.source?.agent_id,
        ) ?? '';
      return [
        state,
        [frame({ type: 'CUSTOM', name: event.name, value: event.data, ...tag(state, key) })],
      ];
    }
    case 'lifecycle.completed': {
      const { summary, report, partial, reasons } = event.data;
      const said = then(closeAll(state, sequence), (now) =>
        atTop(now, conclude({ ...now.speech, last: null }, summary), sequence),
      );
      // A chat's one agent was stopped; of a diagnosis, some were, and what the others found is its result.
      const stopped = partial && state.speech.live;
      const end = stopped
        ? { outcome: { type: 'cancelled' } }
        : { result: { summary, report, partial, reasons }, outcome: { type: 'success' } };
      return then(
        then(said, (now) => close(now, '')),
        (now) => finish(now, end),
      );
    }
    case 'lifecycle.cancelled':
      return then(closeAll(state, sequence), (now) =>
        finish(now, { outcome: { type: 'cancelled' } }),
      );
    case 'lifecycle.failed':
      return then(closeAll(state, sequence), (now) => {
        const { error: message, code } = event.data;
        return [
          now,
          [frame({ type: 'RUN_ERROR', message, code, usage: Object.values(now.usage) })],
        ];
      });
  }
}

const finish = (state: State, end: object): Made => {
  return [
    state,
    [frame({ type: 'RUN_FINISHED', ...state.shown, ...end, usage: Object.values(state.usage) })],
  ];
};

/** AG-UI 1.0: the top agent's words are the run's, everybody else is a sub-agent. */
export const agUi: Encoder<State> = { start: START, next };
