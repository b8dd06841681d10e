import { isBrokenOff } from '../../domain/provider/broken-off.js';
import type {
  EventData,
  NamedEvent,
  ResultSource,
  Source,
  Usage,
} from '../../domain/events/event.js';
import type { JsonObject } from '../../lib/json.js';
import { frame, type Encoder, type Frame } from '../encoder.js';
import { errorText } from '../shared/result-text.js';
import {
  conclude,
  settle,
  silence,
  speak,
  type Piece,
  type Speech,
  type Voice,
} from '../shared/turn-text.js';
import { CANCELLED, UNANSWERED } from '../shared/error-messages.js';

/** An agent that works for another, as its `data-agent` part shows it. */
interface Card {
  dispatch_id: string;
  parent: string | null;
  agent_id: string;
  name: string;
  team_name: string | null;
  task: string;
  status: 'running' | 'ok' | 'partial' | 'failed' | 'interrupted';
  /** What it said in its last turn. */
  text?: string;
  summary?: string;
  reasons?: string[];
}

/** A card that may still change, and what its agent is saying: that counts when its turn is recorded. */
interface Open {
  card: Card;
  turn: number;
  attempt: number;
  saying: string;
}

/** A call of such an agent, as its `data-tool` part shows it. */
interface ToolCard {
  tool_call_id: string;
  dispatch_id: string;
  tool: string;
  args: JsonObject;
  status: string;
}

interface State {
  runId: string;
  speech: Speech;
  /** The turn of the agent at the top that is a step of the message. */
  step: number;
  block: { id: string; voice: Voice } | null;
  agents: Readonly<Record<string, Open>>;
  /** Calls without a result: null for one of the agent at the top. */
  calls: Readonly<Record<string, ToolCard | null>>;
  usage: Usage;
  model: string | null;
}

type Made = [State, Frame[]];

const START: State = {
  runId: '',
  speech: silence(false),
  step: 0,
  block: null,
  agents: {},
  calls: {},
  usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  model: null,
};
const DONE: Frame = { data: '[DONE]' };

const then = ([state, frames]: Made, next: (state: State) => Made): Made => {
  const [after, more] = next(state);
  return [after, [...frames, ...more]];
};
const part = (name: string, id: string, data: object): Frame =>
  frame({ type: `data-${name}`, id, data });
const nameOf = (voice: Voice) => (voice === 'text' ? 'text' : 'reasoning');

function close(state: State): Made {
  const { block } = state;
  if (!block) return [state, []];
  return [{ ...state, block: null }, [frame({ type: `${nameOf(block.voice)}-end`, id: block.id })]];
}

/** A turn of the agent at the top is a step. */
function enter(state: State, turn: number): Made {
  if (turn <= state.step) return [state, []];
  const begun = then(close(state), (now) => [{ ...now, step: turn }, []]);
  return then(begun, (now) => [
    now,
    [...(state.step > 0 ? [frame({ type: 'finish-step' })] : []), frame({ type: 'start-step' })],
  ]);
}

function utter(state: State, [speech, pieces]: [Speech, Piece[]], sequence: number): Made {
  let made: Made = [{ ...state, speech }, []];
  pieces.forEach(({ voice, text, fresh }, i) => {
    const type = nameOf(voice);
    if (fresh || made[0].block?.voice !== voice) {
      const id = `${type}-${sequence}${i === 0 ? '' : `.${i}`}`;
      made = then(then(made, close), (now) => [
        { ...now, block: { id, voice } },
        [frame({ type: `${type}-start`, id })],
      ]);
    }
    made = then(made, (now) => [
      now,
      [frame({ type: `${type}-delta`, id: now.block?.id, delta: text })],
    ]);
  });
  return made;
}

function say(
  state: State,
  event: Extract<NamedEvent, { name: 'llm.stream' | 'llm.reasoning' }>,
): Made {
  const { data, sequence } = event;
  if (data.dispatch_id !== null)
    return [event.name === 'llm.stream' ? collect(state, event.data) : state, []];
  const [voice, text]: [Voice, string] =
    event.name === 'llm.stream' ? ['text', event.data.content] : ['thought', event.data.thought];
  return then(enter(state, data.turn), (now) =>
    utter(now, speak(now.speech, data, voice, text), sequence),
  );
}

/** What an agent below says is shown when its turn is recorded: of its attempts, only the last one's. */
function collect(
  state: State,
  { dispatch_id, turn, attempt, content }: EventData['llm.stream'],
): State {
  const open = state.agents[dispatch_id as string];
  if (!open) return state;
  const goesOn = turn === open.turn && attempt === open.attempt;
  return put(state, { ...open, turn, attempt, saying: goesOn ? open.saying + content : content });
}

const put = (state: State, open: Open): State => ({
  ...state,
  agents: { ...state.agents, [open.card.dispatch_id]: open },
});

function recorded(state: State, data: EventData['llm.usage'], sequence: number): Made {
  const usage = {
    input_tokens: state.usage.input_tokens + data.input_tokens,
    output_tokens: state.usage.output_tokens + data.output_tokens,
    total_tokens: data.total_tokens,
  };
  if (isBrokenOff(data)) return [{ ...state, usage }, []];
  if (data.dispatch_id === null) {
    const now = { ...state, usage, model: data.model };
    return then(enter(now, data.turn), (top) =>
      then(utter(top, settle(top.speech), sequence), close),
    );
  }
  const open = state.agents[data.dispatch_id];
  if (!open || open.saying === '' || open.turn !== data.turn || open.attempt !== data.attempt)
    return [{ ...state, usage }, []];
  const card = { ...open.card, text: open.saying };
  return [
    put({ ...state, usage }, { ...open, card, saying: '' }),
    [part('agent', card.dispatch_id, card)],
  ];
}

function call(
  state: State,
  { tool, args, tool_call_id: id, dispatch_id, turn }: EventData['llm.tool_call'],
): Made {
  if (dispatch_id === null) {
    const input = {
      type: 'tool-input-available',
      toolCallId: id,
      toolName: tool,
      input: args,
      dynamic: true,
      providerExecuted: true,
    };
    return then(then(enter(state, turn), close), (now) => [
      { ...now, calls: { ...now.calls, [id]: null } },
      [frame(input)],
    ]);
  }
  const card: ToolCard = { tool_call_id: id, dispatch_id, tool, args, status: 'running' };
  return [{ ...state, calls: { ...state.calls, [id]: card } }, [part('tool', id, card)]];
}

function answer(
  state: State,
  { tool_call_id: id, status, result, sources = [] }: EventData['llm.tool_result'],
): Made {
  const { [id]: card, ...calls } = state.calls;
  if (card === undefined) return [state, []];
  if (card !== null) return [{ ...state, calls }, [part('tool', id, { ...card, status, result })]];
  const who = { toolCallId: id, dynamic: true, providerExecuted: true };
  const output =
    status === 'ok'
      ? frame({ type: 'tool-output-available', ...who, output: result })
      : frame({ type: 'tool-output-error', ...who, errorText: errorText(result) });
  return [
    { ...state, calls },
    [output, ...sources.map((source, i) => cite(source, `${id}-${i + 1}`))],
  ];
}

const cite = ({ path, source_type, snippet, score }: ResultSource, sourceId: string): Frame => {
  const providerMetadata = { consilium: { source_type, snippet, score } };
  return /^https?:\/\//.test(path)
    ? frame({ type: 'source-url', sourceId, url: path, title: path, providerMetadata })
    : frame({
        type: 'source-document',
        sourceId,
        mediaType: 'text/plain',
        title: path,
        providerMetadata,
      });
};

function dispatch(
  state: State,
  event: Extract<NamedEvent, { name: 'dispatch.team' | 'dispatch.worker' }>,
): Made {
  const { dispatch_id, agent_id, task } = event.data;
  const toTeam = event.name === 'dispatch.team';
  const parent = Object.values(state.agents).findLast(
    ({ card }) => card.agent_id === event.source?.agent_id,
  );
  const card: Card = {
    dispatch_id,
    parent: parent?.card.dispatch_id ?? null,
    agent_id,
    name: toTeam ? event.data.team_name : event.data.worker_name,
    team_name: toTeam ? event.data.team_name : (event.source?.team_name ?? null),
    task,
    status: 'running',
  };
  return [
    put(state, { card, turn: 0, attempt: 1, saying: '' }),
    [part('agent', dispatch_id, card)],
  ];
}

function report(
  state: State,
  { dispatch_id, status, reasons, summary }: EventData['dispatch.report'],
): Made {
  const { [dispatch_id]: open, ...agents } = state.agents;
  if (!open) return [state, []];
  return [
    { ...state, agents },
    [part('agent', dispatch_id, { ...open.card, status, reasons, summary })],
  ];
}

const notice = (
  level: 'warning' | 'error',
  data: EventData['system.warning'],
  source: Source | null,
  sequence: number,
): Frame =>
  part('notice', `notice-${sequence}`, { level, agent_name: source?.agent_name ?? null, ...data });

/** Nobody works any more: what was held counts, and everything that is open is closed. */
function stop(state: State, sequence: number): Made {
  const said = then(utter(state, settle(state.speech), sequence), close);
  const left = Object.entries(state.calls).map(([id, card]) =>
    card === null
      ? frame({
          type: 'tool-output-error',
          toolCallId: id,
          dynamic: true,
          providerExecuted: true,
          errorText: UNANSWERED,
        })
      : part('tool', id, { ...card, status: 'interrupted' }),
  );
  const cut = Object.values(state.agents).map(({ card }) =>
    part('agent', card.dispatch_id, { ...card, status: 'interrupted' }),
  );
  return then(said, (now) => [{ ...now, calls: {}, agents: {} }, [...left, ...cut]]);
}

const lastStep = (state: State): Frame[] =>
  state.step > 0 ? [frame({ type: 'finish-step' })] : [];

function complete(
  state: State,
  { summary, report: found, partial, reasons, usage }: EventData['lifecycle.completed'],
  sequence: number,
): Made {
  const said = then(stop(state, sequence), (now): Made => {
    const left = conclude(now.speech, summary);
    // A step only for what there is to say.
    if (left[1].length === 0) return [now, []];
    return then(
      then(enter(now, Math.max(now.step, 1)), (step) => utter(step, left, sequence)),
      close,
    );
  });
  return then(said, (now) => {
    const shown = found === null ? [] : [part('report', 'report', found)];
    const messageMetadata = { runId: now.runId, model: now.model, usage, partial, reasons };
    const finish = frame({
      type: 'finish',
      finishReason: partial ? 'length' : 'stop',
      messageMetadata,
    });
    return [now, [...shown, ...lastStep(now), finish, DONE]];
  });
}

function next(state: State, event: NamedEvent): Made {
  const { sequence, source } = event;
  switch (event.name) {
    case 'lifecycle.started': {
      const { kind, topology_id, topology_name } = event.data;
      const messageMetadata = { runId: event.run_id, kind, topology_id, topology_name };
      const start = frame({ type: 'start', messageId: event.run_id, messageMetadata });
      return [{ ...START, runId: event.run_id, speech: silence(kind === 'chat') }, [start]];
    }
    case 'system.topology':
      return [state, [part('topology', 'topology', event.data.hierarchy)]];
    case 'llm.stream':
    case 'llm.reasoning':
      return say(state, event);
    case 'llm.usage':
      return recorded(state, event.data, sequence);
    case 'llm.tool_call':
      return call(state, event.data);
    case 'llm.tool_result':
      return answer(state, event.data);
    case 'dispatch.team':
    case 'dispatch.worker':
      return dispatch(state, event);
    case 'dispatch.report':
      return report(state, event.data);
    case 'system.warning':
      return [state, [notice('warning', event.data, source, sequence)]];
    case 'system.error':
      return [state, [notice('error', event.data, source, sequence)]];
    case 'lifecycle.completed':
      return complete(state, event.data, sequence);
    case 'lifecycle.failed':
      return then(stop(state, sequence), (now) => {
        const { error: errorText, code, retryable } = event.data;
        const finish = {
          type: 'finish',
          finishReason: 'error',
          messageMetadata: { runId: now.runId, usage: now.usage, code, retryable },
        };
        return [now, [...lastStep(now), frame({ type: 'error', errorText }), frame(finish), DONE]];
      });
    case 'lifecycle.cancelled':
      return then(stop(state, sequence), (now) => [
        now,
        [...lastStep(now), frame({ type: 'abort', reason: CANCELLED }), DONE],
      ]);
  }
}

/** `useChat` of the AI SDK: UI message stream v1. The top agent's words are the message, everybody else is in `data-*` parts. */
export const aiSdk: Encoder<State> = { start: START, next };
