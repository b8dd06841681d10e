import type { Said } from '../../domain/chat/chat.js';
import { AROUND, fitHistory } from '../../domain/context/fit-history.js';
import { fitView } from '../../domain/context/fit-view.js';
import { bytesOf, tokensOf } from '../../domain/context/density.js';
import { isWhole, viewOf } from '../../domain/context/view.js';
import { estimateTokens } from '../../domain/provider/estimate-tokens.js';
import { utf8Length } from '../../domain/events/payload-gate.js';
import { softLimit } from '../../domain/limits/soft-limit.js';
import type { AgentSession } from '../agent-session.js';
import { toPrompt, type Message, type Prepared } from '../conversation.js';
import { happened } from '../happened.js';
import { contextWarning } from './limit-notices.js';
import { REMIND_SELF } from './remind-self.js';
import { READ_RESULT } from './read-result.js';
import { windowOf } from '../window.js';

/** Where a model is told that its window fills up. Contract section 4. */
const CONTEXT_PERCENT = 70;
/** What is kept for the answer, in tokens and at most as a share of the window. */
const ANSWER_TOKENS = 4_096;
const ANSWER_SHARE = 0.25;
/** How much of the rest is used, since the count is an estimate; and down to where it is emptied when that is full. */
const FULL = 0.95;
const EMPTIED = 0.65;
/** How much of it may be what was said before in a conversation. */
const HISTORY_SHARE = 0.4;

/** Puts together what the model is sent: all that fits its window, and a warning where that is much of it. */
export function buildMessages(session: AgentSession): Prepared | Promise<Prepared> {
  const before = fit(session);
  session.prepared = assemble(session);
  const window = windowOf(session);
  const tokens = Math.max(before, session.prepared.tokens);
  if (tokens >= softLimit(window, CONTEXT_PERCENT) && session.once('context')) {
    const { message, event } = contextWarning(session, tokens, window);
    happened(session, 'context.approaching_limit', { message });
    const told = session.companion.tell(session, 'turn_start');
    return session.record([event, ...told.events], told.messages).then(() => (session.prepared = assemble(session)));
  }
  return session.prepared;
}

/** Tokens that a model's answer may need. */
const answerOf = ({ chain }: AgentSession, window: number): number =>
  Math.min(chain[0]?.maxOutputTokens ?? ANSWER_TOKENS, Math.floor(window * ANSWER_SHARE));

/** Bytes that a prompt may have. */
function roomOf(session: AgentSession): number {
  const window = windowOf(session);
  return bytesOf(session.board.density, window - answerOf(session, window));
}

function assemble(session: AgentSession): Prepared {
  const { task, messages, board, chain } = session;
  const shown = viewOf(messages, board.view);
  const { system, tools: own, history } = openingOf(session);
  const isFree = chain[0]?.isFree === true;
  const tools = [...own, ...(isFree ? [] : [REMIND_SELF]), ...(isWhole(board.view) ? [] : [READ_RESULT])];
  const prompt = toPrompt(system, task, shown, history);
  if (isFree) return { prompt, tools, tokens: 0, bytes: 0 };
  const bytes = bytesIn(shown, openingOf(session).bytes);
  const known = board.context;
  const tokens =
    known === null ? tokensOf(board.density, bytes) : known.tokens + estimateTokens(JSON.stringify(messages.slice(known.messages)).length);
  return { prompt, tools, tokens, bytes };
}

/**
 * Leaves out what does not fit the model's window. The runbook reads everything.
 * @returns tokens, about, that it would have been; 0 where nothing had to be left out
 */
function fit(session: AgentSession): number {
  const { board, messages, chain } = session;
  if (chain.length === 0 || chain[0]?.isFree === true) return 0;
  const room = roomOf(session);
  const fixed = openingOf(session).bytes;
  const bytes = bytesIn(viewOf(messages, board.view), fixed);
  if (bytes <= FULL * room) return 0;
  board.view = fitView(messages, board.view, { most: FULL * room - fixed, wanted: EMPTIED * room - fixed, sizeOf });
  // What the provider has counted was more than what is sent now.
  board.context = null;
  return tokensOf(board.density, bytes);
}

/** What every call of an agent begins with, and its size with the task. */
interface Opening {
  system: string;
  tools: Prepared['tools'];
  /** Of the conversation, in a chat. */
  history: readonly Said[];
  /** The turn in which a refusal last said how much room there is. */
  refusedIn: number;
  bytes: number;
}

const openings = new WeakMap<AgentSession, Opening>();

function openingOf(session: AgentSession): Opening {
  let opening = openings.get(session);
  if (opening?.refusedIn !== session.board.refusedIn) {
    const { role, spec, place, task, chain, board } = session;
    const [system, tools] = [role.system(spec, place), role.tools(spec, place)];
    const { history: whole = [] } = spec.chat ?? {};
    const isCounted = chain.length > 0 && chain[0]?.isFree !== true;
    const history = isCounted && whole.length > 0 ? fitHistory(whole, HISTORY_SHARE * roomOf(session)) : whole;
    const bytes = isCounted
      ? utf8Length(system) + utf8Length(task) + utf8Length(JSON.stringify([tools, REMIND_SELF, READ_RESULT, history])) + AROUND
      : 0;
    opening = { system, tools, history, bytes, refusedIn: board.refusedIn };
    openings.set(session, opening);
  }
  return opening;
}

const bytesIn = (messages: readonly Message[], fixed: number): number => messages.reduce((sum, message) => sum + sizeOf(message), fixed);

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
