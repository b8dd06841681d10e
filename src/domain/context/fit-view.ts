import type { Message } from '../message.js';
import { viewOf, type View } from './view.js';

/** Latest turns whose results are left out last. */
const LATEST = 2;

/** The available space, and how to measure a message. */
export interface Room {
  /** Maximum bytes of the conversation. */
  most: number;
  /** Size after a reduction, smaller than `most`, so that not every turn causes another one. */
  wanted: number;
  sizeOf(message: Message): number;
}

/**
 * Leaves out parts of a conversation that does not fit, oldest first: the text of tool results;
 * then whole turns, which a digest replaces; then the results of the latest turns, largest first. A
 * part stays left out, so that the prompt stays stable and the provider's cache is effective.
 */
export function fitView(messages: readonly Message[], view: View, room: Room): View {
  const total = (of: View): number =>
    viewOf(messages, of).reduce((sum, message) => sum + room.sizeOf(message), 0);
  if (total(view) <= room.most) return view;

  const latest = startOfLatest(messages);
  const oldResults = resultsIn(messages.slice(view.folded, latest), view);
  const afterCut = leaveOut(view, oldResults, (of) => total(of) <= room.wanted);
  if (total(afterCut) <= room.most) return afterCut;

  let folded = afterCut;
  for (const next of starts(messages).filter((at) => at > view.folded && at <= latest)) {
    folded = { ...afterCut, folded: next };
    if (total(folded) <= room.wanted) break;
  }
  if (total(folded) <= room.most) return folded;

  const bySize = resultsIn(messages.slice(latest), folded).sort(
    (a, b) => room.sizeOf(b) - room.sizeOf(a),
  );
  return leaveOut(folded, bySize, (of) => total(of) <= room.most);
}

type Result = Extract<Message, { role: 'result' }>;

/** Results whose text is still included. */
const resultsIn = (messages: readonly Message[], { cut, summaries }: View): Result[] =>
  messages
    .filter((message) => message.role === 'result')
    .filter(({ id }) => !cut.includes(id) && !Object.hasOwn(summaries, id));

/**
 * Leaves out as few results as needed, in order, found by bisection because each check costs as
 * much as the conversation is long.
 */
function leaveOut(view: View, results: readonly Result[], isEnough: (view: View) => boolean): View {
  const without = (count: number): View => ({
    ...view,
    cut: [...view.cut, ...results.slice(0, count).map(({ id }) => id)],
  });
  let low = 0;
  let high = results.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isEnough(without(middle))) high = middle;
    else low = middle + 1;
  }
  return without(low);
}

/** Indexes at which turns start. */
const starts = (messages: readonly Message[]): number[] =>
  messages.flatMap(({ role }, i) => (role === 'assistant' ? [i] : []));

const startOfLatest = (messages: readonly Message[]): number => starts(messages).at(-LATEST) ?? 0;
