import { ModelError } from '../../../models/calls/model-error.js';
import type { Attempt } from '../../../models/calls/model-calls.js';
import type { TurnPart } from '../../../models/calls/turn-part.js';
import type { ModelEntry } from '../../../models/models.js';
import type { AgentSession } from '../../runtime/agent-session.js';
import type { ModelPrompt } from '../../runtime/conversation.js';
import { answerTokens } from './answer-tokens.js';
import { windowOf } from '../../runtime/window.js';
import { seconds } from './announce.js';
import type { CallClock } from './call-clock.js';
import type { CallResult, ModelTurn } from './call-result.js';
import type { LeafCut } from './leaf-options.js';

/**
 * An agent that waits for tokens that other agents have reserved asks again after this time; ms.
 */
const TOKENS_MS = 300;
/** An answer is not limited to fewer tokens, because it would be useless. */
const LEAST_ANSWER_TOKENS = 256;

/** Tokens that an answer may have: its `max_tokens`. Undefined for a model that uses none. */
interface AnswerBound {
  kind: 'granted';
  most: number | undefined;
  /** It has fewer tokens than an answer may need, since few are left of the budget. */
  isShort: boolean;
}

/**
 * Reserves the tokens of an attempt, for the request and the answer. Without enough tokens, the
 * attempt is not made.
 */
export async function reserve(
  { writer, shares, board }: AgentSession,
  attempt: Attempt,
  tokens: number,
  budget: number | undefined,
): Promise<AnswerBound | Extract<CallResult, { kind: 'parked' | 'spent' }>> {
  const { entry } = attempt;
  if (entry.isFree === true) return { kind: 'granted', most: budget, isShort: false };
  const answer = Math.min(answerTokens(entry, windowOf([entry], board)), budget ?? Infinity);
  let reserved: Awaited<ReturnType<typeof writer.reserve>>;
  try {
    reserved = await writer.reserve(tokens + answer, shares);
  } catch (error) {
    await attempt.close();
    throw error;
  }
  if (reserved.kind === 'granted') {
    const isShort = reserved.tokens < tokens + answer;
    const left = Math.max(LEAST_ANSWER_TOKENS, reserved.tokens - tokens);
    return { kind: 'granted', most: isShort ? Math.min(left, answer) : answer, isShort };
  }
  await attempt.close();
  return reserved.kind === 'wait'
    ? { kind: 'parked', parked: { ms: TOKENS_MS } }
    : { kind: 'spent' };
}

export const newTurn = (entry: ModelEntry, bytes: number): ModelTurn => ({
  entry,
  text: '',
  calls: [],
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: false },
  finishReason: '',
  isBounded: false,
  bytes,
});

/** Adds a part of an answer to the turn, and its text to the log if it is shown. */
export function takePart(
  { writer, turn: place }: AgentSession,
  turn: ModelTurn,
  part: TurnPart,
  isShown = true,
): void {
  switch (part.type) {
    case 'text':
      turn.text += part.text;
      if (isShown) writer.delta('llm.stream', part.text, place);
      break;
    case 'reasoning':
      if (isShown) writer.delta('llm.reasoning', part.text, place);
      break;
    case 'tool-call':
      turn.calls.push({ tool: part.tool, input: part.input });
      break;
    case 'finish':
      turn.usage = part.usage;
      turn.finishReason = part.reason;
      break;
  }
}

/** Streams the answer of one attempt into the log. */
export async function streamAnswer(
  session: AgentSession,
  attempt: Attempt,
  {
    prepared: { prompt, tools, bytes },
    bound,
    cut: { speaker, options },
    heard,
    clock,
  }: {
    prepared: ModelPrompt;
    bound: AnswerBound;
    cut: LeafCut;
    heard: { text: string };
    clock: CallClock;
  },
  signal: AbortSignal,
): Promise<ModelTurn> {
  const { entry } = attempt;
  const { timeoutMs } = options;
  const turn: ModelTurn = { ...newTurn(entry, bytes), isBounded: bound.isShort };
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const thinking = session.spec.chat?.thinking ?? false;
  const forced = speaker ? undefined : forcedTool(session, entry, tools);
  const request = {
    prompt,
    tools,
    thinking,
    ...(bound.most !== undefined && { maxOutputTokens: bound.most }),
    ...(forced !== undefined && { toolChoice: forced }),
  };
  try {
    for await (const part of attempt.stream(
      request,
      late ? AbortSignal.any([signal, late]) : signal,
    )) {
      clock.markPart();
      takePart(session, turn, part, speaker === undefined);
      heard.text = turn.text;
    }
  } catch (error) {
    if (late?.aborted && !signal.aborted)
      throw tookTooLong(entry, timeoutMs ?? 0, turn.text !== '');
    throw error;
  }
  return { ...turn, timing: clock.timing() };
}

/** In its last turn an agent reports: its model must call `report`, if that is offered. */
const forcedTool = (
  { board, spec }: AgentSession,
  { isFree }: ModelEntry,
  tools: ModelPrompt['tools'],
): string | undefined =>
  isFree !== true &&
  board.turn >= spec.limits.maxIterations &&
  tools.some(({ name }) => name === 'report')
    ? 'report'
    : undefined;

const tookTooLong = ({ name }: ModelEntry, ms: number, afterText: boolean): ModelError =>
  new ModelError(
    'AI_ERROR',
    `The model "${name}" did not finish its answer within ${seconds(ms)}.`,
    { retryable: true, afterText },
  );
