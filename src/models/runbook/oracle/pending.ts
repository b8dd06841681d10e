import { unescapeMarkdown } from '../../../lib/markdown.js';
import { mentions } from '../../../domain/topology/names-in-text.js';
import type { Remark } from './question.js';

/** How an answer asks back which topology is meant, and how it lists those that may be. */
const ASKS_BACK = /^(?:Which|Of which) topology\?/m;
const LISTED = /^- (\d+): (.+?)(?: \(\d+ nodes?\))?$/gm;
/** Words around the topology that a person chooses. */
const AROUND = /^\W*(?:(?:the|in|of|for|i mean|topology|number|no)\b\W*)*|\W*(?:please)?\W*$/g;
const END = /[\s.?!]+$/;

/** Returns the id of the topology that a reply chooses among those of a question back, by its id, its name or words of it. */
function chosenIn(reply: string, questionBack: string): string | undefined {
  const chosen = reply.toLowerCase().replaceAll(AROUND, '');
  const listed = [...unescapeMarkdown(questionBack).matchAll(LISTED)].map(
    ([, id = '', name = '']) => ({ id, name: name.toLowerCase() }),
  );
  const exact = listed.find(({ id, name }) => id === chosen || name === chosen);
  const [partly, ...more] = listed.filter(({ name }) => mentions(name, chosen));
  return exact?.id ?? (more.length === 0 ? partly?.id : undefined);
}

/**
 * Completes each reply that only says which topology is meant: it asks the question again to which the oracle asked back, of
 * that topology.
 * @param remarks oldest first
 */
export function withPending(remarks: readonly Remark[]): Remark[] {
  const read: Remark[] = [];
  for (const remark of remarks) {
    const [asked, back] = read.slice(-2);
    const isReply = remark.by === 'person' && asked?.by === 'person' && back?.by === 'oracle';
    const id = isReply && ASKS_BACK.test(back.text) ? chosenIn(remark.text, back.text) : undefined;
    read.push(
      id === undefined || !asked
        ? remark
        : { by: 'person', text: `${asked.text.replace(END, '')} of topology ${id}` },
    );
  }
  return read;
}
