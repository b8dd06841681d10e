/** Words before a question that ask nothing. */
const OPENING =
  /^\W*(?:(?:so\b|(?:hi|hey)\b(?= (?:is|are)\b)|(?:(?:hi|hello|hey|(?:good )?(?:morning|afternoon|evening))(?:,? (?:there|again|everyone))?|(?:thanks|thank you|thx)(?: (?:a lot|so much|very much))?|great|perfect|cool|nice|done|sorry|well|ok|okay|alright|hm+|one more(?: thing| question)?|a question|quick question|bye|goodbye|good night|see you|cheers|never ?mind|forget it)\b(?! (?:is|are)\b))[\s,.!:;-]*)+/;
/** Characters of small talk: a longer text asks something. */
const LONGEST = 200;
const THANKS = /\b(?:thanks|thank you|thx)\b/;
const AGREES =
  /\b(?:bye|goodbye|good night|see you|cheers|great|perfect|cool|nice|done|ok|okay|alright|never ?mind|forget it)\b/;
const HELP =
  /^\W*help(?: me)?\W*$|\bwhat (?:(?:can|do|could) you|(?:can|do|could) i(?! do\b))(?: (?:do|ask|answer|help with|help me with|mean))?(?: you| here| for me| about)?\W*$|\b(?:who|what) are you\b|\bhow do (?:you|i use this|you work)\W*$/;

const MODEL =
  /^\W*(?:which|what) (?:language )?(?:model|llm|ai) (?:do|are) you\b|^\W*are you (?:an? )?(?:ai|llm|bot|model|human)\W*$/;
const WITHOUT_MODEL =
  'I answer by built-in rules, without a language model. MODEL sets one (docs/models.md).';

/** Asks an answer to go on: "so?" */
export const GO_ON = /^\W*(?:so|and|well)\W*\?\W*$/;

/** Removes what a person says before the question: a greeting, thanks. @param text in lower case */
export function withoutOpening(text: string): string {
  const rest = text.replace(OPENING, '');
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text;
}

/**
 * Returns the answer to a text that asks nothing about topologies or diagnoses; undefined for any
 * other.
 * @param text in lower case
 * @param help lists what can be asked
 */
export function smallTalk(text: string, help: string): string | undefined {
  if (text.length > LONGEST || GO_ON.test(text)) return undefined;
  if (HELP.test(text)) return help;
  if (MODEL.test(text)) return WITHOUT_MODEL;
  const isAll = text.replace(OPENING, '').replace(/[^\p{L}\p{N}]/gu, '') === '';
  if (!isAll || !/[a-z]/.test(text)) return undefined;
  if (THANKS.test(text)) return 'You are welcome.';
  return AGREES.test(text) ? 'All right. Ask me if you need anything else.' : help;
}
