import type { SourceAnswer } from './ports.js';
import { UnreadNodes } from './unread-nodes.js';

/**
 * The records of several sources, one after the other; each is read even if another cannot be.
 * @param asked the only node that is asked for; absent: all
 * @throws the error of that node; UnreadNodesError; errors that are neither, such as the reason of
 *   a signal
 */
export async function* joinedAnswers<Item>(
  answers: readonly SourceAnswer<Item>[],
  asked: string | undefined,
): AsyncGenerator<Item> {
  const unread = new UnreadNodes();
  for (const answer of answers)
    try {
      if (answer.kind === 'records') yield* answer.records;
    } catch (error) {
      if (asked === undefined) unread.addAll(error);
      else unread.add(asked, error);
    }
  unread.throwIfAny(asked);
}
