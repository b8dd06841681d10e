import { isBrokenOff } from '../../domain/provider/broken-off.js';
import type { EventData, NamedEvent, ResultSource } from '../../domain/events/event.js';
import { frame, type Encoder, type Frame } from '../encoder.js';
import { CANCELLED, UNANSWERED } from '../shared/error-messages.js';
import { noticeOf } from '../shared/approval-notice.js';
import { andThen, type EncoderStep } from '../shared/encoder-step.js';
import { withNextSteps } from '../shared/next-steps.js';
import { countWait, waitsFor, waitTotals } from '../shared/provider-waits.js';
import { errorText } from '../shared/result-text.js';
import { addSources, answerSources } from '../shared/sources.js';
import { conclude, settle, silence, speak, type Voice } from '../shared/turn-text.js';
import { agentPart, collect, dispatch, recordBelow, report } from './agents.js';
import { close, enter, utter } from './blocks.js';
import { named, part, START, type AiSdkState, type ToolCard } from './state.js';

const DONE: Frame = { data: '[DONE]' };

function say(
  state: AiSdkState,
  event: Extract<NamedEvent, { name: 'llm.stream' | 'llm.reasoning' }>,
): EncoderStep<AiSdkState> {
  const { data, sequence } = event;
  if (data.dispatch_id !== null)
    return [event.name === 'llm.stream' ? collect(state, event.data) : state, []];
  const [voice, text]: [Voice, string] =
    event.name === 'llm.stream' ? ['text', event.data.content] : ['thought', event.data.thought];
  return andThen(enter(state, data.turn), (now) =>
    utter(now, speak(now.text, data, voice, text), sequence),
  );
}

function recorded(
  state: AiSdkState,
  data: EventData['llm.usage'],
  sequence: number,
): EncoderStep<AiSdkState> {
  const usage = {
    input_tokens: state.usage.input_tokens + data.input_tokens,
    output_tokens: state.usage.output_tokens + data.output_tokens,
    total_tokens: data.total_tokens,
  };
  if (isBrokenOff(data)) return [{ ...state, usage }, []];
  if (data.dispatch_id === null) {
    const now = { ...state, usage, model: data.model };
    return andThen(enter(now, data.turn), (top) =>
      andThen(utter(top, settle(top.text), sequence), close),
    );
  }
  return recordBelow({ ...state, usage }, data);
}

function call(
  state: AiSdkState,
  { tool, args, tool_call_id: id, dispatch_id, turn }: EventData['llm.tool_call'],
): EncoderStep<AiSdkState> {
  if (dispatch_id === null) {
    const input = {
      type: 'tool-input-available',
      toolCallId: named(state, id),
      toolName: tool,
      input: args,
      dynamic: true,
      providerExecuted: true,
    };
    return andThen(andThen(enter(state, turn), close), (now) => [
      { ...now, calls: { ...now.calls, [id]: null } },
      [frame(input)],
    ]);
  }
  const card: ToolCard = { tool_call_id: id, dispatch_id, tool, args, status: 'running' };
  return [{ ...state, calls: { ...state.calls, [id]: card } }, [part('tool', id, card)]];
}

function answer(
  state: AiSdkState,
  { tool_call_id: id, status, result, approval, sources = [] }: EventData['llm.tool_result'],
): EncoderStep<AiSdkState> {
  const { [id]: card, ...calls } = state.calls;
  if (card === undefined) return [state, []];
  if (card !== null) return [{ ...state, calls }, [part('tool', id, { ...card, status, result })]];
  const toolCallId = named(state, id);
  const who = { toolCallId, dynamic: true, providerExecuted: true };
  const isRefused = approval !== undefined && approval.decision !== 'approve';
  const output = isRefused
    ? frame({ type: 'tool-output-denied', toolCallId })
    : status === 'ok'
      ? frame({ type: 'tool-output-available', ...who, output: result })
      : frame({ type: 'tool-output-error', ...who, errorText: errorText(result) });
  return [{ ...state, calls, sources: addSources(state.sources, sources) }, [output]];
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

const noticePart = ({ name, source }: NamedEvent, data: EventData['system.warning']) => ({
  level: name === 'system.error' ? 'error' : 'warning',
  agent_name: source?.agent_name ?? null,
  ...data,
});

/**
 * The request of the protocol, for a call of the top-level agent, and a notice with the text of the
 * approval.
 */
function approval(
  state: AiSdkState,
  event: Extract<NamedEvent, { name: 'system.approval' }>,
): EncoderStep<AiSdkState> {
  const { approval_id: approvalId, tool_call_id: id } = event.data;
  const notice = part('notice', `notice-${event.sequence}`, noticePart(event, noticeOf(event)));
  if (state.calls[id] !== null) return [state, [notice]];
  const toolCallId = named(state, id);
  return [state, [frame({ type: 'tool-approval-request', approvalId, toolCallId }), notice]];
}

/** The id of the notice about all waits for a provider. */
const waitId = (wait: EventData['system.warning']): string => `notice-wait-${waitsFor(wait) ?? ''}`;

/**
 * Creates a notice. Repeated waits for a provider replace the first notice and increase its count.
 */
function notice(
  state: AiSdkState,
  event: Extract<NamedEvent, { name: 'system.warning' | 'system.error' }>,
): EncoderStep<AiSdkState> {
  const data = noticePart(event, event.data);
  const model = event.name === 'system.warning' ? waitsFor(event.data) : undefined;
  if (model === undefined) return [state, [part('notice', `notice-${event.sequence}`, data)]];
  const [waits] = countWait(state.waits, event.data);
  const count = waits[model]?.count ?? 1;
  return [
    { ...state, waits },
    [part('notice', waitId(event.data), { ...data, ...(count > 1 && { count }) })],
  ];
}

/**
 * Handles the end of a run: sends the text that was held back and closes everything that is open.
 */
function stop(state: AiSdkState, sequence: number): EncoderStep<AiSdkState> {
  const said = andThen(utter(state, settle(state.text), sequence), close);
  const left = Object.entries(state.calls).map(([id, card]) =>
    card === null
      ? frame({
          type: 'tool-output-error',
          toolCallId: named(state, id),
          dynamic: true,
          providerExecuted: true,
          errorText: UNANSWERED,
        })
      : part('tool', id, { ...card, status: 'interrupted' }),
  );
  const cut = Object.values(state.agents).map((agent) =>
    agentPart(agent, { status: 'interrupted' }),
  );
  const waited = waitTotals(state.waits).map((total) =>
    part('notice', waitId(total), { level: 'warning', agent_name: null, ...total }),
  );
  return andThen(said, (now) => [{ ...now, calls: {}, agents: {} }, [...left, ...cut, ...waited]]);
}

const lastStep = (state: AiSdkState): Frame[] =>
  state.step > 0 ? [frame({ type: 'finish-step' })] : [];

function complete(
  state: AiSdkState,
  data: EventData['lifecycle.completed'],
  sequence: number,
): EncoderStep<AiSdkState> {
  const { report: found, partial, reasons, usage } = data;
  const said = andThen(stop(state, sequence), (now): EncoderStep<AiSdkState> => {
    const left = conclude(now.text, withNextSteps(data));
    // Begin a step only if there is text to send.
    if (left[1].length === 0) return [now, []];
    return andThen(
      andThen(enter(now, Math.max(now.step, 1)), (step) => utter(step, left, sequence)),
      close,
    );
  });
  return andThen(said, (now) => {
    const shown = found === null ? [] : [part('report', 'report', found)];
    const cited = answerSources(now.sources).map((source, i) =>
      cite(source, named(now, `source-${i + 1}`)),
    );
    const messageMetadata = { runId: now.runId, model: now.model, usage, partial, reasons };
    const finish = frame({
      type: 'finish',
      finishReason: partial ? 'length' : 'stop',
      messageMetadata,
    });
    return [now, [...shown, ...cited, ...lastStep(now), finish, DONE]];
  });
}

function next(state: AiSdkState, event: NamedEvent): EncoderStep<AiSdkState> {
  const { sequence } = event;
  switch (event.name) {
    case 'lifecycle.started': {
      const { kind, topology_id, topology_name } = event.data;
      const messageMetadata = { runId: event.run_id, kind, topology_id, topology_name };
      const start = frame({ type: 'start', messageId: event.run_id, messageMetadata });
      return [{ ...START, runId: event.run_id, text: silence(kind === 'chat') }, [start]];
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
    case 'system.approval':
      return approval(state, event);
    case 'system.decision':
      return [state, [part('notice', `notice-${sequence}`, noticePart(event, noticeOf(event)))]];
    case 'system.warning':
    case 'system.error':
      return notice(state, event);
    case 'lifecycle.completed':
      return complete(state, event.data, sequence);
    case 'lifecycle.failed':
      return andThen(stop(state, sequence), (now) => {
        const { error: errorText, code, retryable } = event.data;
        const finish = {
          type: 'finish',
          finishReason: 'error',
          messageMetadata: { runId: now.runId, usage: now.usage, code, retryable },
        };
        return [now, [...lastStep(now), frame({ type: 'error', errorText }), frame(finish), DONE]];
      });
    case 'lifecycle.cancelled':
      return andThen(stop(state, sequence), (now) => [
        now,
        [...lastStep(now), frame({ type: 'abort', reason: CANCELLED }), DONE],
      ]);
  }
}

/**
 * Encodes UI message stream v1: the text of the top-level agent is the message; every other agent
 * is in `data-*` parts.
 */
export const encoder: Encoder<AiSdkState> = { start: START, next };
