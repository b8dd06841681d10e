import { setTimeout as sleep } from 'node:timers/promises';
import { NO_TRIES } from '../domain/attempts.js';
import type { TurnUsage } from '../models/cost.js';
import type { Attempt, Begun, ModelCalls, Turner } from '../models/model-calls.js';
import { ModelError } from '../models/model-error.js';
import type { ModelEntry } from '../models/models.js';
import type { AgentSession } from './agent-session.js';
import { toPrompt } from './conversation.js';

/** What a model said in a turn, whole. */
export interface Turned {
  entry: ModelEntry;
  text: string;
  calls: { tool: string; input: string }[];
  usage: TurnUsage;
  finishReason: string;
}

/** `parked`: the agent is to give its slot back for so long, or until it is woken, and then do this again. */
export type Called = { kind: 'turned'; turned: Turned } | { kind: 'parked'; ms: number } | { kind: 'failed'; error: ModelError };

/** Whoever waits longer than this gives its slot back. */
const IN_SLOT_MS = 1_000;
const PRIORITY = { global_supervisor: 0, team_supervisor: 1, worker: 2 } as const;

/** Whose turn it is, the same wherever the agent runs; by the id of its job, so that it can be woken. */
const turnerOf = ({ runId, dispatchId, place, deadlineAt, ends }: AgentSession): Turner => ({
  id: dispatchId === null ? runId : `${runId}.${dispatchId}`,
  priority: PRIORITY[place.type],
  deadline: deadlineAt,
  signal: ends,
});

/**
 * Has the model say its turn, as often as it takes: every attempt that failed and is made again is announced, and the waiting
 * for it survives this process (contract section 5).
 * @throws the reason of the session's signal or deadline
 */
export async function callModel(session: AgentSession, calls: ModelCalls): Promise<Called> {
  const { board, chain, ends, deadlineAt } = session;
  if (chain.length === 0) return { kind: 'failed', error: unknownModel(session) };
  for (;;) {
    const rest = (board.notBefore ?? 0) - calls.now();
    if (rest > IN_SLOT_MS) return { kind: 'parked', ms: rest };
    if (rest > 0) await sleep(rest, undefined, { signal: ends });
    const begun = await calls.begin(chain, board.tries ?? NO_TRIES, turnerOf(session), IN_SLOT_MS);
    if (begun.kind === 'wait') {
      await announceWait(session, begun);
      return { kind: 'parked', ms: Math.min(begun.ms, deadlineAt - calls.now()) };
    }
    const entry = begun.kind === 'go' ? begun.attempt.entry : begun.entry;
    board.attempt = board.nextAttempt;
    try {
      if (begun.kind === 'refused') throw begun.error;
      return { kind: 'turned', turned: await say(session, begun.attempt) };
    } catch (error) {
      ends.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      const next = calls.after(chain, board.tries ?? NO_TRIES, entry, error, deadlineAt);
      // A chat adds here: `|| (error.afterText && session.role.speaksOnce)`, since no chat format can take text back.
      if (next.kind === 'over') return { kind: 'failed', error };
      board.tries = next.tries;
      board.nextAttempt = board.attempt + 1;
      board.notBefore = calls.now() + next.afterMs;
      const then = next.model !== entry.name ? `"${next.model}" takes its place.` : `Trying again in ${seconds(next.afterMs)}.`;
      const details = { retryable: true, attempt: board.attempt, retry_in_ms: next.afterMs, model: next.model };
      await session.record([session.warning(error.code, `${error.message} ${then}`, details)]);
    }
  }
}

async function say(session: AgentSession, attempt: Attempt): Promise<Turned> {
  const { role, place, spec, task, messages, writer, ends } = session;
  const { entry } = attempt;
  const usage: TurnUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: false };
  const turned: Turned = { entry, text: '', calls: [], usage, finishReason: '' };
  const request = { prompt: toPrompt(role.system(spec, place), task, messages), tools: role.tools(spec, place) };
  for await (const part of attempt.stream(request, ends)) {
    switch (part.type) {
      case 'text':
        turned.text += part.text;
        writer.delta('llm.stream', part.text, session.turn);
        break;
      case 'reasoning':
        writer.delta('llm.reasoning', part.text, session.turn);
        break;
      case 'tool-call':
        turned.calls.push({ tool: part.tool, input: part.input });
        break;
      case 'finish':
        turned.usage = part.usage;
        turned.finishReason = part.reason;
        break;
    }
  }
  return turned;
}

/** Others were told to wait, or have used up the minute: this one has made no attempt, but waits all the same. */
async function announceWait(session: AgentSession, { why, ms, entry }: Extract<Begun, { kind: 'wait' }>): Promise<void> {
  if (why === 'busy' || ms <= IN_SLOT_MS) return;
  const message =
    why === 'hold'
      ? `The provider of "${entry.name}" wants to be left alone for ${seconds(ms)}.`
      : `All calls of "${entry.name}" that may be made in a minute were made; the next one in ${seconds(ms)}.`;
  const details = { retryable: true, attempt: session.board.nextAttempt, retry_in_ms: ms, model: entry.name };
  await session.record([session.warning('RATE_LIMITED', message, details)]);
}

const seconds = (ms: number): string => `${Math.ceil(ms / 100) / 10} s`;

const unknownModel = ({ place }: AgentSession): ModelError =>
  new ModelError('AI_ERROR', `No model is called "${place.binding.model}"; see GET /api/service/v1/models.`, { retryable: false });
