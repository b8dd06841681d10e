import { NoAnswerError } from './facts.js';
import { examples } from './intents/intent-of.js';
import { isKindWord, knownText } from './subject/named.js';
import { WORDS } from './reading/vocabulary.js';
import type { AnswerInput } from './answer-input.js';

/** Maximum of names that are offered for an unknown one. */
const MOST_SIMILAR = 5;

const isKind = (name: string): boolean => isKindWord(name) || WORDS.isKind.has(name);

/** @throws NoAnswerError with the names that are like it, or else with what there is */
export function notKnown(asked: AnswerInput, name: string): never {
  const similar = asked.facts.similar(name).slice(0, MOST_SIMILAR);
  const known =
    similar.length > 0
      ? `Did you mean ${similar.map((each) => `"${each}"`).join(' or ')}?`
      : knownText(asked);
  const kind = similar.length === 0 && isKind(name) ? ' or of that kind' : '';
  throw new NoAnswerError(`I know no node called "${name}"${kind}, and no topology. ${known}`);
}

/** Lists the kinds of questions that can be answered, with an example of each. */
export const helpText = (): string =>
  `I answer questions about topologies and their diagnoses, and start new ones. Ask for example:
${examples()
  .map((example) => `- ${example}`)
  .join('\n')}
I read English only, and only questions like these; with a language model (MODEL) I understand others.`;
