import type { Message } from '../message.js';
import { viewOf, type View } from './view.js';

/** Turns at the end whose results stay as long as there is anything else to leave out. */
const LATEST = 2;

/** How much room there is, and how a message is measured. */
export interface Room {
  /** Bytes that the conversation may have. */
  most: number;
  /** Where it has more, it is brought down to this, so that it is not cut again with every turn. */
  wanted: number;
  sizeOf(message: Message): number;
}

/**
 * Leaves out of a conversation what does not fit, oldest first: the text of tool results; then whole turns, which a digest
 * tells of; at last the results of the latest turns, largest first. What was left out stays so: the model's view of the
 * past does not flicker, and its provider's cache holds.
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

/** Those whose text is still there. */
const resultsIn = (messages: readonly Message[], { cut, summaries }: View): Result[] =>
  messages
    .filter((message) => message.role === 'result')
    .filter(({ id }) => !cut.includes(id) && !Object.hasOwn(summaries, id));

/** Leaves out one after the other until it is enough. As few as are needed, by halving: a total costs as much as the conversation is long. */
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

/** Where turns begin. */
const starts = (messages: readonly Message[]): number[] =>
  messages.flatMap(({ role }, i) => (role === 'assistant' ? [i] : []));

const startOfLatest = (messages: readonly Message[]): number => starts(messages).at(-LATEST) ?? 0;
