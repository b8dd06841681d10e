import { unescapeMarkdown } from '../../../../lib/markdown.js';
import { escapePattern } from '../../../../lib/text.js';
import { mentions } from '../../../../domain/topology/names-in-text.js';
import type { Remark } from '../reading/question.js';

/** How an answer asks back which topology is meant, and how it lists those that may be. */
const ASKS_BACK = /^(?:Which|Of which) topology\?/m;
const LISTED = /^- (\d+): (.+?)(?: \(\d+ nodes?\))?$/gm;
/** How an answer offers the only other topology that has what a question names. */
const OFFERED =
  /^Topology \d+(?: \((.+?)\))? has nothing called .*\b(?:add|say) "of topology (\d+)"/m;
/** Agrees to what an answer offers, and says nothing else. */
const AGREES =
  /^\W*(?:(?:y|yes|yep|yup|yeah|ok|okay|sure|please|go ahead|proceed|(?:just )?do (?:it|that|so|this)|that one|i (?:mean|meant) (?:it|that)(?: one)?)\b[\s,.!]*)+$/i;
/** Words around the topology that a person chooses. */
const AROUND = /^\W*(?:(?:the|in|of|for|i mean|topology|number|no)\b\W*)*|\W*(?:please)?\W*$/g;
const END = /[\s.?!]+$/;

/**
 * Returns the id of the topology that a reply chooses among those of a question back, by its id,
 * its name or words of it.
 */
function chosenIn(reply: string, questionBack: string): string | undefined {
  const chosen = reply.toLowerCase().replaceAll(AROUND, '');
  const listed = [...unescapeMarkdown(questionBack).matchAll(LISTED)].map(
    ([, id = '', name = '']) => ({ id, name: name.toLowerCase() }),
  );
  const exact = listed.find(({ id, name }) => id === chosen || name === chosen);
  const [partly, ...more] = listed.filter(({ name }) => mentions(name, chosen));
  return exact?.id ?? (more.length === 0 ? partly?.id : undefined);
}

/** Leaves out where a question places a node: "of the blog". */
const withoutPlace = (question: string, place: string): string =>
  question.replace(
    new RegExp(
      ` (?:of|in|on|for|from|at) (?:the |our |my )?(?:topology )?${escapePattern(place)}`,
      'i',
    ),
    '',
  );

/**
 * Returns the question that a reply to an answer asks again: of the topology that it chooses, or of
 * the one that was offered. A reply that agrees to a question back chooses nothing, so the question
 * is asked back once more.
 */
function askedAgain(question: string, answer: string, reply: string): string | undefined {
  const [, place, offered] = OFFERED.exec(answer) ?? [];
  const asksBack = ASKS_BACK.test(answer);
  if (AGREES.test(reply) && asksBack) return question;
  const id = AGREES.test(reply) ? offered : asksBack ? chosenIn(reply, answer) : undefined;
  if (id === undefined) return undefined;
  const left = place === undefined ? question : withoutPlace(question, place);
  return `${left.replace(END, '')} of topology ${id}`;
}

/**
 * Completes each reply that only says which topology is meant, or agrees to the one that was
 * offered.
 * @param remarks oldest first
 */
export function withPending(remarks: readonly Remark[]): Remark[] {
  const read: Remark[] = [];
  for (const remark of remarks) {
    const [asked, back] = read.slice(-2);
    const isReply = remark.by === 'person' && asked?.by === 'person' && back?.by === 'oracle';
    const again = isReply ? askedAgain(asked.text, back.text, remark.text) : undefined;
    read.push(again === undefined ? remark : { by: 'person', text: again });
  }
  return read;
}
