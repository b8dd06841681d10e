import { NO_TRIES } from '../../../domain/provider/attempts.js';
import { learnFromRefusal, type TooLong } from '../../../domain/context/prompt-too-long.js';
import { tokensOf } from '../../../domain/context/density.js';
import type { BrokenOff } from '../../../domain/provider/broken-off.js';
import type { CallTiming, DraftEvent } from '../../../domain/events/event.js';
import type { RunSpec } from '../../../domain/run.js';
import { utf8Length } from '../../../domain/events/serialise-payload.js';
import type { Attempt, ModelCalls, CallRequest } from '../../../models/calls/model-calls.js';
import { ModelError } from '../../../models/calls/model-error.js';
import type { ModelEntry } from '../../../models/models.js';
import { jobIdOf } from '../../../queues/job-ids.js';
import { jobOrder } from '../../../runs/job-order.js';
import type { AgentPlace } from '../../runtime/agent-place.js';
import type { AgentSession } from '../../runtime/agent-session.js';
import { prepareTurn } from '../build-messages.js';
import type { ModelPrompt } from '../../runtime/conversation.js';
import { callClock, settle, want } from './call-clock.js';
import { announceRetry, announceShorter, announceWait } from './announce.js';
import type { CallResult } from './call-result.js';
import { streamAnswer, reserve } from './stream-answer.js';
import type { LeafCut } from './leaf-options.js';
import { windowOf } from '../../runtime/window.js';
import { tokenNotices } from '../limit-notices.js';
import { usageEvent } from './usage-event.js';

/** A call of a model: the models to try, and the options of the tree or the librarian. */
export interface ModelRequest {
  /** The model that is asked, then its replacements. */
  chain: readonly ModelEntry[];
  cut: LeafCut;
  /** The request, if it is not the agent's own turn. */
  prepared?: ModelPrompt;
}

const PRIORITY = { oracle: 0, global_supervisor: 0, team_supervisor: 1, worker: 2 } as const;
const ROLES = 3;

/**
 * The order of waiting calls: by the places of the agents' jobs; of those with one place, the agent
 * at the top, then teams, then workers; chats, whose runs have their own numbers, go before
 * diagnoses. A run of an earlier version without a number goes by roles, each in order of arrival.
 */
function callOrder({ type, binding }: AgentPlace, spec: RunSpec) {
  if (spec.order === undefined) return { priority: PRIORITY[type] };
  const place = jobOrder(spec, binding.agentId) ?? 0;
  return { priority: type === 'oracle' ? 0 : 1, order: place * ROLES + PRIORITY[type] };
}

/**
 * The caller, the same in every process that runs the agent: the id of its job, so that it can be
 * woken.
 */
const callRequestOf = (
  { runId, dispatchId, place, spec, deadlineAt }: AgentSession,
  signal: AbortSignal,
): CallRequest => ({
  id: jobIdOf({ runId, dispatchId }, place.type === 'oracle' ? 'oracle' : 'global_supervisor'),
  ...callOrder(place, spec),
  deadline: deadlineAt,
  signal,
});

/**
 * Calls a model for a turn, and retries. Every failed attempt that is repeated is announced, and
 * the wait survives this process (contract section 5). Tokens are reserved for every attempt; the
 * tokens of a failed attempt are settled here, those of the answer by the step that records the
 * turn.
 */
export async function callModel(
  session: AgentSession,
  calls: ModelCalls,
  request: ModelRequest,
): Promise<CallResult> {
  const { chain, cut } = request;
  if (chain.length === 0)
    return {
      kind: 'failed',
      error: unknownModel(cut.options.model ?? session.place.binding.model),
    };
  const signal = AbortSignal.any([session.ends, cut.signal]);
  try {
    return await attempts(session, calls, request, signal);
  } catch (error) {
    if (session.signal.aborted) return { kind: 'stopped', events: [] };
    if (session.deadline.aborted) return { kind: 'late', text: '' };
    if (signal.aborted) return { kind: 'cut' };
    throw error;
  }
}

/** @throws the signal's reason, and every error that is not a model error */
async function attempts(
  session: AgentSession,
  calls: ModelCalls,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<CallResult> {
  const { chain, cut } = request;
  let prepared = await prepare(session, request);
  for (;;) {
    if (session.board.wantedAt === undefined) want(session);
    const rest = (session.board.notBefore ?? 0) - calls.now();
    if (rest > 0) return { kind: 'parked', parked: { ms: rest } };
    const admission = await calls.begin(
      chain,
      session.board.tries ?? NO_TRIES,
      callRequestOf(session, signal),
    );
    if (admission.kind === 'wait') {
      await announceWait(session, admission);
      const ms = Math.min(admission.ms, session.deadlineAt - calls.now());
      return { kind: 'parked', parked: { ms, inLine: admission.entry } };
    }
    const entry = admission.kind === 'go' ? admission.attempt.entry : admission.entry;
    session.take({ state: { ...session.board, attempt: session.board.nextAttempt } });
    const heard = { text: '' };
    const clock = callClock(session);
    try {
      if (admission.kind === 'refused') throw admission.error;
      const bound = await reserve(session, admission.attempt, prepared.tokens, cut.options.budget);
      if (bound.kind !== 'granted') return bound;
      const turn = await streamAnswer(
        session,
        admission.attempt,
        { prepared, bound, cut, heard, clock },
        signal,
      );
      settle(session);
      return { kind: 'answered', turn };
    } catch (error) {
      const spent =
        admission.kind === 'go'
          ? spentOn(session, admission.attempt, cut, {
              finishReason: signal.aborted ? 'aborted' : 'error',
              timing: clock.timing(),
            })
          : [];
      want(session);
      // Nothing is recorded here: the step that leaves the agent to another process records it.
      if (session.signal.aborted) return { kind: 'stopped', events: spent };
      if (spent.length > 0) await session.step(({ board }) => ({ state: board, events: spent }));
      else if (admission.kind === 'go' && entry.isFree !== true)
        await session.writer.reserve(0, session.shares);
      if (session.deadline.aborted) return { kind: 'late', text: heard.text };
      signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      if (error.tooLong && learns(session, error.tooLong, prepared, cut)) {
        prepared = await prepare(session, request, true);
        await announceShorter(session, entry, error);
        continue;
      }
      const tries = session.board.tries ?? NO_TRIES;
      const next = calls.after(chain, tries, { entry, error }, session.deadlineAt);
      // No chat format can take text back.
      if (next.kind === 'over' || (error.afterText && session.role.speaksOnce === true))
        return { kind: 'failed', error };
      await announceRetry(session, entry, error, {
        ...next,
        notBefore: calls.now() + next.afterMs,
      });
    }
  }
}

/**
 * Corrects the assumed window of the model after a prompt was too long for it.
 * @returns whether to send a shorter prompt: once in a turn. The parts that a librarian reads are
 *   never shortened
 */
function learns(
  session: AgentSession,
  tooLong: TooLong,
  { bytes, chain }: ModelPrompt,
  { speaker }: LeafCut,
): boolean {
  const { board } = session;
  const learned = learnFromRefusal(board.density, windowOf(chain, board), bytes, tooLong);
  const again = !speaker && board.refusedIn !== board.turn;
  session.take({ state: { ...board, ...learned, ...(again && { refusedIn: board.turn }) } });
  return again;
}

/** The tokens of an attempt without an answer, for the log: they settle the reservation. */
function spentOn(
  session: AgentSession,
  { entry, taken }: Attempt,
  { speaker }: LeafCut,
  ended: { finishReason: BrokenOff; timing: CallTiming },
): DraftEvent[] {
  if (!taken || entry.isFree === true) return [];
  const place = { ...session.turn, ...speaker?.place };
  return [
    usageEvent(speaker?.source ?? session.source, place, { entry, usage: taken, ...ended }),
    ...tokenNotices(session),
  ];
}

/**
 * The request of a call: the one that was built, unless it was for other models, or leaves no room
 * for what the tree adds.
 */
async function prepare(
  session: AgentSession,
  { chain, cut, prepared: given }: ModelRequest,
  again = false,
): Promise<ModelPrompt> {
  const { options } = cut;
  const added = utf8Length(options.messages.join(''));
  const known = given ?? session.scratch.prepared;
  const isAsItWas = !again && added === 0 && known !== undefined && isSame(known.chain, chain);
  const { prompt, tools, tokens, bytes } = isAsItWas
    ? known
    : await prepareAnew(session, chain, added);
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

async function prepareAnew(
  session: AgentSession,
  chain: readonly ModelEntry[],
  added: number,
): Promise<ModelPrompt> {
  const step = prepareTurn(session.draft(), chain, added);
  if (step.events) await session.record(step);
  else session.take(step);
  return step.scratch.prepared;
}

const isSame = (one: readonly ModelEntry[], other: readonly ModelEntry[]): boolean =>
  one.length === other.length && one.every((entry, i) => entry === other[i]);

const unknownModel = (name: string | undefined): ModelError =>
  new ModelError('AI_ERROR', `No model is called "${name}"; see GET /api/service/v1/models.`, {
    retryable: false,
  });
