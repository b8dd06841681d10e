import { NO_TRIES } from '../../domain/provider/attempts.js';
import { learnRefusal, type TooLong } from '../../domain/context/refused.js';
import { tokensOf } from '../../domain/context/density.js';
import type { BrokenOff } from '../../domain/provider/broken-off.js';
import type { DraftEvent } from '../../domain/events/event.js';
import { utf8Length } from '../../domain/events/payload-gate.js';
import type { TurnUsage } from '../../models/calls/cost.js';
import type {
  Attempt,
  Admission,
  ModelCalls,
  CallRequest,
} from '../../models/calls/model-calls.js';
import { ModelError } from '../../models/calls/model-error.js';
import type { ModelEntry } from '../../models/models.js';
import { jobIdOf } from '../../queues/queues.js';
import type { AgentSession, Parked } from '../runtime/agent-session.js';
import { ANSWER_TOKENS } from './answer-tokens.js';
import { buildMessages } from './build-messages.js';
import type { Prepared } from '../runtime/conversation.js';
import type { Cut } from './leaf-options.js';
import { windowOf } from '../runtime/window.js';
import { tokenNotices } from './limit-notices.js';
import { usageEvent, type Taken } from './usage-event.js';

/** What a model said in a turn, whole. */
export interface ModelTurn extends Taken {
  text: string;
  calls: { tool: string; input: string }[];
  /** The answer was bounded, since there were so few tokens left for it. */
  isBounded: boolean;
  /** Of what it was sent, by our measure. */
  bytes: number;
}

/** `parked`: the agent is to give its slot back, and then do this again. `spent`: there are no tokens for the call. */
export type CallResult =
  | { kind: 'answered'; turn: ModelTurn }
  | { kind: 'parked'; parked: Parked }
  | { kind: 'spent' }
  | { kind: 'failed'; error: ModelError };

/** Nobody is told of a shorter wait that others have caused. */
const UNTOLD_MS = 1_000;
/** Who waits for tokens that others have reserved asks again after this. */
const TOKENS_MS = 300;
/** An answer is not bounded to less: it would say nothing. */
const LEAST_ANSWER_TOKENS = 256;
const PRIORITY = { oracle: 0, global_supervisor: 0, team_supervisor: 1, worker: 2 } as const;

/** Whose turn it is, the same wherever the agent runs; by the id of its job, so that it can be woken. */
const callRequestOf = (
  { runId, dispatchId, place, deadlineAt }: AgentSession,
  signal: AbortSignal,
): CallRequest => ({
  id: jobIdOf({ runId, dispatchId }, place.type === 'oracle' ? 'oracle' : 'global_supervisor'),
  priority: PRIORITY[place.type],
  deadline: deadlineAt,
  signal,
});

/**
 * Has the model say its turn, as often as it takes: every attempt that failed and is made again is announced, and the waiting
 * for it survives this process (contract section 5). Tokens are reserved for every attempt; what it used is settled here
 * where it came to nothing, else by whoever records the turn.
 * @param chain the model that is asked, then those that take its place
 * @throws the reason of the session's signal or deadline, or of the cut
 */
export async function callModel(
  session: AgentSession,
  calls: ModelCalls,
  chain: readonly ModelEntry[],
  cut: Cut,
): Promise<CallResult> {
  const { board, deadlineAt } = session;
  if (chain.length === 0)
    return {
      kind: 'failed',
      error: unknownModel(cut.options.model ?? session.place.binding.model),
    };
  const signal = AbortSignal.any([session.ends, cut.signal]);
  let prepared = await prepare(session, chain, cut);
  for (;;) {
    const rest = (board.notBefore ?? 0) - calls.now();
    if (rest > 0) return { kind: 'parked', parked: { ms: rest } };
    const admission = await calls.begin(
      chain,
      board.tries ?? NO_TRIES,
      callRequestOf(session, signal),
    );
    if (admission.kind === 'wait') {
      await announceWait(session, admission);
      return {
        kind: 'parked',
        parked: { ms: Math.min(admission.ms, deadlineAt - calls.now()), inLine: admission.entry },
      };
    }
    const entry = admission.kind === 'go' ? admission.attempt.entry : admission.entry;
    board.attempt = board.nextAttempt;
    try {
      if (admission.kind === 'refused') throw admission.error;
      const bound = await reserve(session, admission.attempt, prepared.tokens, cut.options.budget);
      if (typeof bound === 'object') return bound;
      const said = say(session, admission.attempt, prepared, bound, signal, cut);
      session.calling = said;
      return { kind: 'answered', turn: await said };
    } catch (error) {
      const spent =
        admission.kind === 'go'
          ? spentOn(session, admission.attempt, cut, signal.aborted ? 'aborted' : 'error')
          : [];
      // Nothing is recorded here any more; whoever leaves the agent to another process says it.
      if (session.signal.aborted) session.unrecorded = spent;
      else if (spent.length > 0) await session.record(spent);
      else if (admission.kind === 'go' && entry.isFree !== true)
        await session.writer.reserve(0, session.shares);
      signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      if (error.tooLong && learns(session, error.tooLong, prepared, cut)) {
        prepared = await prepare(session, chain, cut, true);
        await announceShorter(session, entry, error);
        continue;
      }
      const next = calls.after(chain, board.tries ?? NO_TRIES, entry, error, deadlineAt);
      // No chat format can take text back.
      if (next.kind === 'over' || (error.afterText && session.role.speaksOnce === true))
        return { kind: 'failed', error };
      board.tries = next.tries;
      board.nextAttempt = board.attempt + 1;
      board.notBefore = calls.now() + next.afterMs;
      const then =
        next.model !== entry.name
          ? `"${next.model}" takes its place.`
          : `Trying again in ${seconds(next.afterMs)}.`;
      const details = {
        retryable: true,
        attempt: board.attempt,
        retry_in_ms: next.afterMs,
        model: next.model,
      };
      await session.record([session.warning(error.code, `${error.message} ${then}`, details)]);
    }
  }
}

/**
 * A prompt was too long, whatever was believed of the window: that is corrected for all that comes.
 * @returns whether it is worth sending what fits now, once in a turn. A librarian's parts are what they are
 */
function learns(
  { board }: AgentSession,
  tooLong: TooLong,
  { bytes, chain }: Prepared,
  { speaker }: Cut,
): boolean {
  Object.assign(board, learnRefusal(board.density, windowOf(chain, board), bytes, tooLong));
  if (speaker || board.refusedIn === board.turn) return false;
  board.refusedIn = board.turn;
  return true;
}

async function announceShorter(
  session: AgentSession,
  { name }: ModelEntry,
  { code, message }: ModelError,
): Promise<void> {
  const { board } = session;
  const details = { retryable: true, attempt: board.attempt, retry_in_ms: 0, model: name };
  board.nextAttempt = board.attempt + 1;
  await session.record([
    session.warning(code, `${message} Trying again with less of it.`, details),
  ]);
}

/** The tokens of an attempt that came to no answer, for the log: they settle what was reserved for it. */
function spentOn(
  session: AgentSession,
  { entry, taken }: Attempt,
  { speaker }: Cut,
  finishReason: BrokenOff,
): DraftEvent[] {
  if (!taken || entry.isFree === true) return [];
  const place = { ...session.turn, ...speaker?.place };
  return [
    usageEvent(speaker?.source ?? session.source, place, { entry, usage: taken, finishReason }),
    ...tokenNotices(session),
  ];
}

/** What this call is about: as it was put together, unless that was for other models, or leaves no room for what its tree adds. */
async function prepare(
  session: AgentSession,
  chain: readonly ModelEntry[],
  { options }: Cut,
  again = false,
): Promise<Prepared> {
  const added = utf8Length(options.messages.join(''));
  const { prepared } = session;
  const isAsItWas =
    !again && added === 0 && prepared !== undefined && isSame(prepared.chain, chain);
  const { prompt, tools, tokens, bytes } = isAsItWas
    ? prepared
    : await buildMessages(session, chain, added);
  const more = options.messages.map((text) => ({
    role: 'user' as const,
    content: [{ type: 'text' as const, text }],
  }));
  return {
    chain,
    prompt: [...prompt, ...more],
    tools: options.tools ? tools.filter(({ name }) => options.tools?.includes(name)) : tools,
    tokens: tokens + (chain[0]?.isFree === true ? 0 : tokensOf(session.board.density, added)),
    bytes: bytes + added,
  };
}

const isSame = (one: readonly ModelEntry[], other: readonly ModelEntry[]): boolean =>
  one.length === other.length && one.every((entry, i) => entry === other[i]);

/**
 * Reserves the tokens of an attempt. Where there are none, the attempt is given up.
 * @returns how many tokens the answer may have, undefined for no bound of ours
 */
async function reserve(
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

async function say(
  session: AgentSession,
  attempt: Attempt,
  { prompt, tools, bytes }: Prepared,
  maxOutputTokens: number | undefined,
  signal: AbortSignal,
  { speaker, options: { budget, timeoutMs } }: Cut,
): Promise<ModelTurn> {
  const { writer } = session;
  const { entry } = attempt;
  const usage: TurnUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: false };
  const turn: ModelTurn = {
    entry,
    text: '',
    calls: [],
    usage,
    finishReason: '',
    isBounded: maxOutputTokens !== undefined && maxOutputTokens !== budget,
    bytes,
  };
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const thinking = session.spec.chat?.thinking ?? false;
  const request = {
    prompt,
    tools,
    thinking,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
  try {
    for await (const part of attempt.stream(
      request,
      late ? AbortSignal.any([signal, late]) : signal,
    )) {
      switch (part.type) {
        case 'text':
          turn.text += part.text;
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
    session.unfinished = turn.text;
    if (late?.aborted && !signal.aborted)
      throw tookTooLong(entry, timeoutMs ?? 0, turn.text !== '');
    throw error;
  }
  return turn;
}

/** Others were told to wait, or have used up the minute: this one has made no attempt, but waits all the same. */
async function announceWait(
  session: AgentSession,
  { why, ms, entry }: Extract<Admission, { kind: 'wait' }>,
): Promise<void> {
  if (why === 'busy' || ms <= UNTOLD_MS) return;
  const message =
    why === 'hold'
      ? `The provider of "${entry.name}" wants to be left alone for ${seconds(ms)}.`
      : `All calls of "${entry.name}" that may be made in a minute were made; the next one in ${seconds(ms)}.`;
  const details = {
    retryable: true,
    attempt: session.board.nextAttempt,
    retry_in_ms: ms,
    model: entry.name,
  };
  await session.record([session.warning('RATE_LIMITED', message, details)]);
}

const seconds = (ms: number): string => `${Math.ceil(ms / 100) / 10} s`;

const unknownModel = (name: string | undefined): ModelError =>
  new ModelError('AI_ERROR', `No model is called "${name}"; see GET /api/service/v1/models.`, {
    retryable: false,
  });

const tookTooLong = ({ name }: ModelEntry, ms: number, afterText: boolean): ModelError =>
  new ModelError(
    'AI_ERROR',
    `The model "${name}" did not finish its answer within ${seconds(ms)}.`,
    { retryable: true, afterText },
  );
