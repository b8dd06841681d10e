import { MESSAGE_OVERHEAD_BYTES, fitHistory } from '../../domain/context/fit-history.js';
import { fitView } from '../../domain/context/fit-view.js';
import { bytesOf, tokensOf } from '../../domain/context/density.js';
import { isWhole, viewOf, type View } from '../../domain/context/view.js';
import { utf8Length } from '../../domain/events/serialise-payload.js';
import type { OfferedTool } from '../../domain/prompt/offered-tool.js';
import { softLimit } from '../../domain/limits/soft-limit.js';
import type { ModelEntry } from '../../models/models.js';
import type { AgentSession, SessionDraft } from '../runtime/agent-session.js';
import type { Scratch, StepResult } from '../runtime/session-step.js';
import {
  functionTool,
  toPrompt,
  type Message,
  type PromptPrefix,
  type ModelPrompt,
} from '../runtime/conversation.js';
import { makeOpening } from '../runtime/opening.js';
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
/**
 * The share of the rest that may be used, since the count is an estimate; and the share to which it
 * is reduced when that is full.
 */
const FULL = 0.95;
const EMPTIED = 0.65;
/** The share of it that earlier messages of a conversation may use. */
const HISTORY_SHARE = 0.4;

/** The model that is asked, and the bytes that its tree adds to the conversation. */
interface PromptTarget {
  chain: readonly ModelEntry[];
  added: number;
}

/**
 * Builds the request of this turn: as much of the conversation as fits into the model's window.
 * Warns if that is most of it.
 */
export const buildMessages: Action = {
  name: 'build-messages',
  run: ({ session }, state) => ({ outcome: 'success', ...prepareTurn(session.draft(state)) }),
};

/**
 * The step that builds a request; changes the draft.
 * @param chain the model, then its replacements: the agent's own, unless its tree names another one
 *   for a call
 * @param added bytes that follow the conversation
 */
export function prepareTurn(
  draft: SessionDraft,
  chain = draft.chain,
  added = 0,
): StepResult & { scratch: Scratch & { prepared: ModelPrompt } } {
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
  const notices = draft.notifier.notify(draft, 'turn_start');
  return {
    state: board,
    events: [event, ...notices.events],
    messages: notices.messages,
    scratch: {
      ...scratch,
      prepared: assemble(draft, asked, view, [...draft.messages, ...notices.messages]),
    },
  };
}

const isFree = ([first]: readonly ModelEntry[]): boolean => first?.isFree === true;

/** Maximum bytes of a prompt. */
function roomOf({ board }: AgentSession, { chain, added }: PromptTarget): number {
  const window = windowOf(chain, board);
  return bytesOf(board.density, window - answerTokens(chain[0], window)) - added;
}

function assemble(
  session: AgentSession,
  asked: PromptTarget,
  view: View,
  messages: readonly Message[],
): ModelPrompt {
  const { board } = session;
  const { chain } = asked;
  const shown = viewOf(messages, view);
  const { opening, tools: own, bytes: fixed } = openingOf(session, asked);
  const tools = [
    ...own,
    ...(isFree(chain) || session.place.type !== 'oracle' ? [] : [offered(session, REMIND_SELF)]),
    ...(isWhole(view) ? [] : [offered(session, READ_RESULT)]),
  ];
  const prompt = toPrompt(opening, shown);
  if (isFree(chain)) return { chain, prompt, tools, tokens: 0, bytes: 0 };
  const bytes = bytesIn(shown, fixed);
  // The provider's token count, if it is of the same conversation.
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
 * Leaves out what does not fit into the model's window. The runbook reads everything.
 * @returns the part of the conversation that is sent, and the estimated tokens of the whole; 0 if
 *   nothing was left out
 */
function fit(session: SessionDraft, asked: PromptTarget): { view: View; before: number } {
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
  // The provider's count was of more than is sent now.
  board.context = null;
  board.view = view;
  return { view, before };
}

/** Cached by the writer of the session, because the drafts of one session share it. */
const openings = new WeakMap<RunWriter, MeasuredOpening>();

/** The beginning of every request of an agent, and its size with the tools. */
interface MeasuredOpening {
  opening: PromptPrefix;
  tools: ModelPrompt['tools'];
  bytes: number;
  /**
   * The window that the view was built for. The view is built again if a refused prompt has shown
   * another size, or if another model is asked.
   */
  refusedIn: number;
  window: number;
}

function openingOf(session: AgentSession, asked: PromptTarget): MeasuredOpening {
  const { role, spec, place, board } = session;
  const { refusedIn } = board;
  const isCounted = asked.chain.length > 0 && !isFree(asked.chain);
  const window = isCounted ? windowOf(asked.chain, board) : Infinity;
  const known = openings.get(session.writer);
  if (known?.refusedIn === refusedIn && known.window === window) return known;
  const tools = role.tools(spec, place).map((tool) => offered(session, tool));
  const whole = spec.chat?.history ?? [];
  const history =
    isCounted && whole.length > 0
      ? fitHistory(whole, HISTORY_SHARE * roomOf(session, asked))
      : whole;
  const opening = makeOpening(session, { history, isFree: isFree(asked.chain) });
  const more = [REMIND_SELF, READ_RESULT].map((tool) => offered(session, tool));
  const bytes = isCounted
    ? utf8Length(JSON.stringify([opening, tools, more])) + MESSAGE_OVERHEAD_BYTES
    : 0;
  const made = { opening, tools, bytes, refusedIn, window };
  openings.set(session.writer, made);
  return made;
}

/** A tool as it is offered to the model of this agent. */
const offered = ({ prompts }: AgentSession, { name, schema, description }: OfferedTool) =>
  functionTool(name, description ?? prompts.tools[name] ?? '', schema);

const bytesIn = (messages: readonly Message[], fixed: number): number =>
  messages.reduce((sum, message) => sum + sizeOf(message), fixed);

/** Messages never change, and some are large. */
const sizes = new WeakMap<Message, number>();

function sizeOf(message: Message): number {
  let size = sizes.get(message);
  if (size === undefined) {
    size = utf8Length(JSON.stringify(message)) + MESSAGE_OVERHEAD_BYTES;
    sizes.set(message, size);
  }
  return size;
}
