import { isBrokenOff } from '../../domain/provider/broken-off.js';
import type { EventData, NamedEvent, Turn } from '../../domain/events/event.js';
import { frame, type Encoder } from '../encoder.js';
import { dispatchOf } from '../shared/agent-tree.js';
import { UNANSWERED } from '../shared/error-messages.js';
import { andThen, type EncoderStep } from '../shared/encoder-step.js';
import { withNextSteps } from '../shared/next-steps.js';
import { countWait, totalOf, waitsFor, waitTotals } from '../shared/provider-waits.js';
import { resultText } from '../shared/result-text.js';
import { conclude, settle, silence, speak, type Voice } from '../shared/turn-text.js';
import { resume, interrupt, start, withoutInterrupt } from './interrupts.js';
import { atTop, close, utter } from './messages.js';
import { keyOf, named, START, tag, type AgUiState, type TokenUsage } from './state.js';
import { dispatch, enter, leave, report } from './sub-agents.js';

function say(
  state: AgUiState,
  place: Turn,
  { voice, text }: { voice: Voice; text: string },
  sequence: number,
): EncoderStep<AgUiState> {
  const key = keyOf(state, place.dispatch_id);
  if (key === '')
    return place.dispatch_id === null
      ? atTop(state, speak(state.text, place, voice, text), sequence)
      : [state, []];
  return andThen(enter(state, place), (now) =>
    utter(now, key, { voice, text, fresh: false }, { sequence, nth: 0 }),
  );
}

/** Handles the recording of a turn: its text is complete. */
function endTurn(state: AgUiState, place: Turn, sequence: number): EncoderStep<AgUiState> {
  const key = keyOf(state, place.dispatch_id);
  const said: EncoderStep<AgUiState> =
    key === '' && place.dispatch_id === null
      ? atTop(state, settle(state.text), sequence)
      : enter(state, place);
  return andThen(said, (now) => close(now, key));
}

function count(
  state: AgUiState,
  { model, input_tokens, output_tokens }: EventData['llm.usage'],
): AgUiState {
  const known = state.usage[model];
  const usage: TokenUsage = {
    model,
    inputTokens: (known?.inputTokens ?? 0) + input_tokens,
    outputTokens: (known?.outputTokens ?? 0) + output_tokens,
    totalTokens: (known?.totalTokens ?? 0) + input_tokens + output_tokens,
  };
  return { ...state, usage: { ...state.usage, [model]: usage } };
}

/** Closes everything that is open, sub-agents before their parents. */
function closeAll(state: AgUiState, sequence: number): EncoderStep<AgUiState> {
  let made = atTop(state, settle(state.text), sequence);
  for (const key of Object.keys(state.open)) made = andThen(made, (now) => close(now, key));
  for (const key of Object.keys(state.subs).toReversed())
    made = andThen(made, (now) =>
      leave(now, key, { type: 'SUBAGENT_ERROR', message: UNANSWERED, code: 'INTERRUPTED' }),
    );
  made = andThen(made, (now) => close(now, ''));
  return andThen(made, (now) => [
    { ...now, waits: {} },
    waitTotals(now.waits).map((value) => frame({ type: 'CUSTOM', name: 'system.warning', value })),
  ]);
}

/** Sends an event for which the protocol has no type. */
function custom(
  state: AgUiState,
  { name, data: value, source }: NamedEvent,
): EncoderStep<AgUiState> {
  const key = dispatchOf(state.subs, source?.agent_id) ?? '';
  return [state, [frame({ type: 'CUSTOM', name, value, ...tag(state, key) })]];
}

/**
 * Sends a warning. Repeated waits for the provider of a model are one activity message with a
 * counter.
 */
function warn(
  state: AgUiState,
  event: Extract<NamedEvent, { name: 'system.warning' }>,
): EncoderStep<AgUiState> {
  const [waits, isFirst] = countWait(state.waits, event.data);
  const model = waitsFor(event.data) ?? '';
  const known = waits[model];
  if (isFirst || known === undefined) return custom({ ...state, waits }, event);
  const activity = { messageId: `${state.runId}:wait:${model}`, activityType: 'PROVIDER_WAIT' };
  const content = totalOf(known);
  return [
    { ...state, waits },
    [frame({ type: 'ACTIVITY_SNAPSHOT', ...activity, content, replace: true })],
  ];
}

const next = (state: AgUiState, event: NamedEvent): EncoderStep<AgUiState> =>
  state.isPaused ? andThen(resume(state), (now) => encode(now, event)) : encode(state, event);

function encode(state: AgUiState, event: NamedEvent): EncoderStep<AgUiState> {
  const { sequence } = event;
  switch (event.name) {
    case 'lifecycle.started': {
      const { run_id: runId } = event;
      const { kind, session_id, client_run_id } = event.data;
      const shown = { threadId: session_id ?? runId, runId: client_run_id ?? runId };
      const begun = { ...START, runId, shown, text: silence(kind === 'chat') };
      return [begun, [start(begun)]];
    }
    case 'llm.stream':
      return say(state, event.data, { voice: 'text', text: event.data.content }, sequence);
    case 'llm.reasoning':
      return say(state, event.data, { voice: 'thought', text: event.data.thought }, sequence);
    case 'llm.usage':
      return isBrokenOff(event.data)
        ? [count(state, event.data), []]
        : endTurn(count(state, event.data), event.data, sequence);
    case 'llm.tool_call': {
      const { tool, args, tool_call_id, dispatch_id } = event.data;
      return andThen(endTurn(state, event.data, sequence), (now) => {
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
    case 'system.approval':
      return andThen(custom(state, event), (now) => interrupt(now, event.data));
    case 'system.decision':
      return custom(withoutInterrupt(state, event.data.approval_id), event);
    case 'system.warning':
      return warn(state, event);
    case 'system.topology':
    case 'system.error':
      return custom(state, event);
    case 'lifecycle.completed': {
      const { summary, report, partial, reasons } = event.data;
      const said = andThen(closeAll(state, sequence), (now) =>
        atTop(now, conclude({ ...now.text, last: null }, withNextSteps(event.data)), sequence),
      );
      // In a partial chat, its only agent was stopped. A partial diagnosis still has the findings
      // of the other agents.
      const stopped = partial && state.text.live;
      const end = stopped
        ? { outcome: { type: 'cancelled' } }
        : { result: { summary, report, partial, reasons }, outcome: { type: 'success' } };
      return andThen(
        andThen(said, (now) => close(now, '')),
        (now) => finish(now, end),
      );
    }
    case 'lifecycle.cancelled':
      return andThen(closeAll(state, sequence), (now) =>
        finish(now, { outcome: { type: 'cancelled' } }),
      );
    case 'lifecycle.failed':
      return andThen(closeAll(state, sequence), (now) => {
        const { error: message, code } = event.data;
        return [
          now,
          [frame({ type: 'RUN_ERROR', message, code, usage: Object.values(now.usage) })],
        ];
      });
  }
}

const finish = (state: AgUiState, end: object): EncoderStep<AgUiState> => {
  return [
    state,
    [frame({ type: 'RUN_FINISHED', ...state.shown, ...end, usage: Object.values(state.usage) })],
  ];
};

/**
 * Encodes AG-UI 1.0: the text of the top-level agent is the text of the run; every other agent is a
 * sub-agent.
 */
export const encoder: Encoder<AgUiState> = { start: START, next };
