import { ModelError } from '../../../models/calls/model-error.js';
import type { Attempt } from '../../../models/calls/model-calls.js';
import type { ModelEntry } from '../../../models/models.js';
import type { AgentSession } from '../../runtime/agent-session.js';
import type { Prepared } from '../../runtime/conversation.js';
import { ANSWER_TOKENS } from './answer-tokens.js';
import { seconds } from './announce.js';
import type { CallResult, ModelTurn } from './call-result.js';
import type { Cut } from './leaf-options.js';

/** An agent that waits for tokens which others have reserved asks again after this; ms. */
const TOKENS_MS = 300;
/** An answer is not bounded to fewer tokens: it would be of no use. */
const LEAST_ANSWER_TOKENS = 256;
/**
 * Reserves the tokens of an attempt. Where there are none, the attempt is given up.
 * @returns how many tokens the answer may have, undefined for no bound of ours
 */
export async function reserve(
  { writer, shares }: AgentSession,
  attempt: Attempt,
  tokens: number,
  budget: number | undefined,
): Promise<number | undefined | Extract<CallResult, { kind: 'parked' | 'spent' }>> {
  const { entry } = attempt;
  if (entry.isFree === true) return budget;
  const answer = Math.min(ANSWER_TOKENS, budget ?? Infinity, entry.maxOutputTokens ?? Infinity);
  let reserved: Awaited<ReturnType<typeof writer.reserve>>;
  try {
    reserved = await writer.reserve(tokens + answer, shares);
  } catch (error) {
    await attempt.close();
    throw error;
  }
  if (reserved.kind === 'granted')
    return reserved.tokens < tokens + answer
      ? Math.max(LEAST_ANSWER_TOKENS, reserved.tokens - tokens)
      : budget;
  await attempt.close();
  return reserved.kind === 'wait'
    ? { kind: 'parked', parked: { ms: TOKENS_MS } }
    : { kind: 'spent' };
}

/** Streams the answer of one attempt into the log. */
export async function hear(
  session: AgentSession,
  attempt: Attempt,
  {
    prepared: { prompt, tools, bytes },
    bound,
    cut: { speaker, options },
    heard,
  }: { prepared: Prepared; bound: number | undefined; cut: Cut; heard: { text: string } },
  signal: AbortSignal,
): Promise<ModelTurn> {
  const { writer } = session;
  const { entry } = attempt;
  const { budget, timeoutMs } = options;
  const turn: ModelTurn = {
    entry,
    text: '',
    calls: [],
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: false },
    finishReason: '',
    isBounded: bound !== undefined && bound !== budget,
    bytes,
  };
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const thinking = session.spec.chat?.thinking ?? false;
  const forced = speaker ? undefined : forcedTool(session, entry, tools);
  const request = {
    prompt,
    tools,
    thinking,
    ...(bound !== undefined && { maxOutputTokens: bound }),
    ...(forced !== undefined && { toolChoice: forced }),
  };
  try {
    for await (const part of attempt.stream(
      request,
      late ? AbortSignal.any([signal, late]) : signal,
    )) {
      switch (part.type) {
        case 'text':
          turn.text += part.text;
          heard.text = turn.text;
          if (!speaker) writer.delta('llm.stream', part.text, session.turn);
          break;
        case 'reasoning':
          if (!speaker) writer.delta('llm.reasoning', part.text, session.turn);
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
  } catch (error) {
    if (late?.aborted && !signal.aborted)
      throw tookTooLong(entry, timeoutMs ?? 0, turn.text !== '');
    throw error;
  }
  return turn;
}

/** In its last turn an agent reports: its model is made to call `report`, where that is offered. */
const forcedTool = (
  { board, spec }: AgentSession,
  { isFree }: ModelEntry,
  tools: Prepared['tools'],
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
