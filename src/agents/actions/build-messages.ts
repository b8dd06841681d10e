import { createHash } from 'node:crypto';
import type { PastMessage } from '../../domain/chat/chat.js';
import { AROUND, fitHistory } from '../../domain/context/fit-history.js';
import { fitView } from '../../domain/context/fit-view.js';
import { bytesOf, tokensOf } from '../../domain/context/density.js';
import { isWhole, viewOf, type View } from '../../domain/context/view.js';
import { utf8Length } from '../../domain/events/serialise-payload.js';
import { softLimit } from '../../domain/limits/soft-limit.js';
import type { ModelEntry } from '../../models/models.js';
import type { AgentSession, Draft, Scratch, StepResult } from '../runtime/agent-session.js';
import {
  toPrompt,
  type Conversation,
  type Message,
  type Prepared,
} from '../runtime/conversation.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import { answerTokens } from './model/answer-tokens.js';
import type { RunWriter } from '../runtime/run-writer.js';
import { windowOf } from '../runtime/window.js';
import type { Action } from './action.js';
import { contextWarning } from './limit-notices.js';
import { once } from './once.js';
import { REMIND_SELF } from './tools/remind-self.js';
import { READ_RESULT } from './tools/read-result.js';

/** The share of the window at which the model is warned. Contract section 4. */
const CONTEXT_PERCENT = 70;
/** How much of the rest is used, since the count is an estimate; and down to where it is emptied when that is full. */
const FULL = 0.95;
const EMPTIED = 0.65;
/** How much of it may be what was said before in a conversation. */
const HISTORY_SHARE = 0.4;

/** Who is asked, and how many bytes its tree adds to the conversation. */
interface Asked {
  chain: readonly ModelEntry[];
  added: number;
}

/** Puts together the request of this turn: as much of the conversation as fits the model's window. Warns if that is most of it. */
export const buildMessages: Action = {
  name: 'build-messages',
  run: ({ session }, state) => ({ outcome: 'success', ...prepareTurn(session.draft(state)) }),
};

/**
 * The step that puts together a request; changes the draft.
 * @param chain the model, then those that take its place: the agent's own, unless its tree names another one for a call
 * @param added bytes that are to come behind it
 */
export function prepareTurn(
  draft: Draft,
  chain = draft.chain,
  added = 0,
): StepResult & { scratch: Scratch & { prepared: Prepared } } {
  const asked = { chain, added };
  const { board, scratch } = draft;
  const { view, before } = fit(draft, asked);
  const prepared = assemble(draft, asked, view, draft.messages);
  scratch.prepared = prepared;
  const window = windowOf(chain, board);
  const tokens = Math.max(before, prepared.tokens);
  if (tokens < softLimit(window, CONTEXT_PERCENT) || !once(board, 'context'))
    return { state: board, scratch: { ...scratch, prepared } };
  const { message, event } = contextWarning(draft, tokens, window);
  emitAgentEvent(draft, 'context.approaching_limit', { message });
  const told = draft.notifier.notify(draft, 'turn_start');
  return {
    state: board,
    events: [event, ...told.events],
    messages: told.messages,
    scratch: {
      ...scratch,
      prepared: assemble(draft, asked, view, [...draft.messages, ...told.messages]),
    },
  };
}

const isFree = ([first]: readonly ModelEntry[]): boolean => first?.isFree === true;

/** Bytes that a prompt may have. */
function roomOf({ board }: AgentSession, { chain, added }: Asked): number {
  const window = windowOf(chain, board);
  return bytesOf(board.density, window - answerTokens(chain[0], window)) - added;
}

function assemble(
  session: AgentSession,
  asked: Asked,
  view: View,
  messages: readonly Message[],
): Prepared {
  const { task, board } = session;
  const { chain } = asked;
  const shown = viewOf(messages, view);
  const { system, tools: own, history, context, bytes: fixed } = openingOf(session, asked);
  const tools = [
    ...own,
    ...(isFree(chain) || session.place.type !== 'oracle' ? [] : [REMIND_SELF]),
    ...(isWhole(view) ? [] : [READ_RESULT]),
  ];
  const prompt = toPrompt({ system, task, messages: shown, history, context });
  if (isFree(chain)) return { chain, prompt, tools, tokens: 0, bytes: 0 };
  const bytes = bytesIn(shown, fixed);
  // What a provider has counted, where that was of the same.
  const known =
    view === board.view && chain.some(({ name }) => name === board.context?.model)
      ? board.context
      : null;
  const tokens =
    known === null
      ? tokensOf(board.density, bytes)
      : known.tokens + tokensOf(board.density, bytesIn(messages.slice(known.messages), 0));
  return { chain, prompt, tools, tokens, bytes };
}

/**
 * Leaves out what does not fit the model's window. The runbook reads everything.
 * @returns what of the conversation goes to it, and how many tokens, about, it would have been; 0 where nothing had to be left out
 */
function fit(session: Draft, asked: Asked): { view: View; before: number } {
  const { board, messages } = session;
  const { chain } = asked;
  if (chain.length === 0 || isFree(chain)) return { view: board.view, before: 0 };
  const room = roomOf(session, asked);
  const fixed = openingOf(session, asked).bytes;
  const bytes = bytesIn(viewOf(messages, board.view), fixed);
  if (bytes <= FULL * room) return { view: board.view, before: 0 };
  const view = fitView(messages, board.view, {
    most: FULL * room - fixed,
    wanted: EMPTIED * room - fixed,
    sizeOf,
  });
  const before = tokensOf(board.density, bytes);
  // Its own model goes on to see all of it.
  if (chain[0] !== session.chain[0]) return { view, before };
  // What the provider has counted was more than what is sent now.
  board.context = null;
  board.view = view;
  return { view, before };
}

/** What every call of an agent begins with, and its size with the task. */
interface Opening {
  system: string;
  tools: Prepared['tools'];
  /** Of the conversation, in a chat. */
  history: readonly PastMessage[];
  context: Conversation['context'];
  bytes: number;
  /** What it was made for: where a refusal has said since how much room there is, or another model is asked, it is made again. */
  refusedIn: number;
  window: number;
}

/** By the writer of the session: drafts of one session share it. */
const openings = new WeakMap<RunWriter, Opening>();

function openingOf(session: AgentSession, asked: Asked): Opening {
  const { role, spec, place, task, board } = session;
  const { refusedIn } = board;
  const isCounted = asked.chain.length > 0 && !isFree(asked.chain);
  const window = isCounted ? windowOf(asked.chain, board) : Infinity;
  let opening = openings.get(session.writer);
  if (opening?.refusedIn !== refusedIn || opening.window !== window) {
    const [system, tools] = [role.system(spec, place), role.tools(spec, place)];
    const { history: whole = [], context: text } = spec.chat ?? {};
    // Stable within the run, so that providers can cache the prompt; not known to the client before the run was accepted.
    const nonce = createHash('sha256').update(session.runId).digest('hex').slice(0, 12);
    // The deterministic planner reads only what the person asks.
    const context = text === undefined || isFree(asked.chain) ? undefined : { text, nonce };
    const history =
      isCounted && whole.length > 0
        ? fitHistory(whole, HISTORY_SHARE * roomOf(session, asked))
        : whole;
    const bytes = isCounted
      ? utf8Length(system) +
        utf8Length(task) +
        utf8Length(JSON.stringify([tools, REMIND_SELF, READ_RESULT, history, context])) +
        AROUND
      : 0;
    opening = { system, tools, history, context, bytes, refusedIn, window };
    openings.set(session.writer, opening);
  }
  return opening;
}

const bytesIn = (messages: readonly Message[], fixed: number): number =>
  messages.reduce((sum, message) => sum + sizeOf(message), fixed);

/** Messages never change, and some are large. */
const sizes = new WeakMap<Message, number>();

function sizeOf(message: Message): number {
  let size = sizes.get(message);
  if (size === undefined) {
    size = utf8Length(JSON.stringify(message)) + AROUND;
    sizes.set(message, size);
  }
  return size;
}
