import { isMisspelt } from '../../lib/text.js';
import type { PastMessage } from './chat.js';
import { asksInOtherLanguage, isOtherLanguage } from './asks-in-other-language.js';

const LOOK =
  '(?:re-?)?(?:diagnose|check|examine|probe|inspect|investigate|troubleshoot|analy[sz]e|scan|test|measure|verify)|look (?:at|into)|(?:have|take) (?:a|another) look';
const BEGIN =
  '(?:re-?)?(?:run|start|launch|begin|trigger|perform|repeat)|redo|kick off|(?:do|make) (?:an?|another)';
const WHICH = '(?:(?:a|an|the|another|one|more|new|fresh|full|quick|health|last|same)\\s+)*';
const NOUN = '(?:(?:re-?)?diagnos[ei]s|checks?|tests?|investigations?|runs?)';
/** Matches a part of a word that names a diagnosis or a check in any form. */
const STEM =
  '(?:re-?)?(?:diagnos|check\\b|checking|examin|prob(?:e|ing)|inspect|investigat|troubleshoot|analy[sz]|scan|test|measur|verif|run|start|launch|trigger|look|retry)';

/** What may stand before the verb of a request. */
const LEAD =
  /^(?:(?:please|pls|plz|kindly|now|ok|okay|so|then|and|but|well|hi|hey|hello|thanks|yes|yep|yeah|sure|just|also|again|first|next|quickly|maybe|perhaps|instead|actually|(?:can|could|would|will) (?:you|u)|(?:i|we)(?: want| need|'d like| would like)(?: you)? to|you (?:should|must|can)|go ahead|let's|lets|let us|shall we)(?:\s+|$))*/;
/** Makes a clause a request, also after a question in the same sentence. */
const MARK =
  /^(?:(?:and|but|so|then)\s+)*(?:please|(?:can|could|would|will) (?:you|u)|go ahead|let'?s)\b/;
/**
 * Words for what is read, not measured; and nouns in the position of a verb ("check of payments",
 * "test results").
 */
const READ =
  /^\s*(?:of|was|were|is|are|has|had|did|failed|passed|ended|complete|done|out|in|(?:environment|system|server|cluster|data|case)s?)\b|\b(?:last|latest|previous|earlier|past|yesterday|happened|reports?|verdicts?|results?|history|logs?|findings?|conclusions?|summary|docs|documentation|duration|coverage|something|nothing|none|no)\b/;
const LOOKS = new RegExp(`^(?:${LOOK})\\b(?!-)`);
const BEGINS = new RegExp(
  `^(?:(?:${BEGIN})\\s+${WHICH}${NOUN}\\b(?!\\s+(?:history|times?|lists?|results?|page)\\b)|(?:(?:re-?)?(?:run|start|launch|trigger)|repeat|redo|retry)\\s+(?:it|this|that|them|one|another(?: one)?|everything)(?=$|\\s+(?:again|once|anew|now|please|for|on|then)\\b)|(?:run|try|do|look|measure|check|test)(?:\\s+(?:it|this|that))?\\s+(?:again|once more|one more time|anew)\\b|(?:retry|re-?run)(?=$|\\s+(?:the|topology|all|now|please|${NOUN})\\b))`,
);
const WANTS = new RegExp(
  `^(?:(?:i|we)(?: want| need|'d like| would like)|give me) (?:a|an|another|one more)\\s+${WHICH}${NOUN}(?=$|\\s+(?:of|for|on|now|please)\\b)`,
);
const ANOTHER = /^(?:a|another|one more)\s+(?:(?:new|fresh|full)\s+)?diagnosis\b[^,]*,?\s*please$/;
/** "Orders shop please diagnose" */
const AT_END = new RegExp(
  `^(?:\\S+\\s+){1,8}(?:please|pls|plz)\\s+(?:${LOOK})(?:\\s+(?:it|again))*$`,
);
const QUESTION =
  /\b(?:what|who|whose|when|where|which|why|how|whether|if|before|until|unless)\b|^(?:do|does|did|is|are|was|were|has|have|had|should|may|might|must|can|could|would|will|explain|describe)\b/;
const REFUSES = new RegExp(
  `^(?:you\\s+)?(?:(?:do|did|would|should|must|can|could|will)(?:\\s+not|n't)|dont|never|not|no need|stop|avoid|skip|quit)(?:\\s*$|\\b.*\\b${STEM})|^(?:i|we)\\s+(?:(?:do|did|would)(?:\\s+not|n't)|never)\\s+(?:want|need|ask|like|mean)|\\b(?:without|not to|no need to|instead of|rather than)\\s+(?:\\w+\\s+){0,2}${STEM}`,
);

const AGREES =
  /^\W*(?:(?:y|yes|yep|yup|yeah|ok(?:ay)?|sure|please|go ahead|go for it|proceed|do (?:it|so|that|this)|now|ja|bitte|oui|d'accord|s[ií]|vale)(?:[\s,.!]+|$))+$/;
const OFFERS =
  /\b(?:(?:shall|should|may|can|could) i|(?:want|like) me to)\b[^.?!\n]{0,200}diagnos|\b(?:ask me to|say) ["“']?diagnose|\bi can\b[^.?!\n]{0,200}diagnos[^.?!\n]{0,200}\bif you\b/gi;

/**
 * Whether a person asks for a diagnosis: with a request at the start of a clause of this message,
 * or by accepting an offer in the previous message of the oracle. Only the person's own words
 * count, not what they quote, so that no text that the oracle has read can start a diagnosis. In
 * doubt it is false: a refused person can ask in plain words, a started run cannot be undone.
 */
export function asksForDiagnosis(message: string, history: readonly PastMessage[] = []): boolean {
  const text = withVerbs(ownWords(message.toLowerCase().replaceAll('’', "'")));
  const last = history.at(-1);
  if (last?.role === 'assistant' && AGREES.test(text) && endsInOffer(last.text)) return true;
  const sentences = text.split(/[.?!;](?=\s|$)|\n/).map(clausesOf);
  if (sentences.flat().some((clause) => REFUSES.test(withoutLead(clause)))) return false;
  if (isOtherLanguage(text)) return asksInOtherLanguage(sentences.flat());
  return sentences.some(isRequest) || asksInOtherLanguage(sentences.flat());
}

const QUOTED_LINE = /^[ \t]*>.*$/gm;

/** Whether the oracle offers a diagnosis in its own words, and asks nothing else after that. */
function endsInOffer(said: string): boolean {
  const own = said
    .replace(QUOTED_LINE, '')
    .replace(/["“][^"“”\n]*["”]/g, (quote) => (/^.diagnose/i.test(quote) ? quote : ' x '));
  const offer = [...own.matchAll(OFFERS)].at(-1);
  if (!offer) return false;
  const rest = own.slice(offer.index + offer[0].length);
  const after = rest.slice(rest.search(/[.?!](?=\s|$)|\n/) + 1);
  return !/\?(?!\w)/.test(after);
}

/**
 * Leaves out what a message quotes or reports. A message that is one quotation is the person's own.
 */
const ownWords = (text: string): string =>
  text
    .replace(/^\s*["“]([^"“”]*)["”]\s*$/, '$1')
    .replace(/"[^"]*"|“[^“”]*”|`[^`]*`/g, ' x ')
    .replace(QUOTED_LINE, '')
    .replace(/\b(?:says?|said|reads?|writes?|wrote|states?|tells?|told)\b[^:\n]{0,100}:.*/g, '');

/** The verbs of a request that are read also if they are misspelt. */
const VERBS = ['diagnose', 'check', 'investigate', 'troubleshoot'];

/**
 * Corrects misspelt verbs. A longer word may be another form of the verb: "checks", "diagnosed".
 */
const withVerbs = (text: string): string =>
  text.replace(
    /\p{L}+/gu,
    (word) => VERBS.find((verb) => word.length <= verb.length && isMisspelt(word, verb)) ?? word,
  );

const clausesOf = (sentence: string): string[] =>
  sentence
    .split(/,|\s[-–—]\s|[()]|\s(?=(?:and|then|but)\s)/)
    .map((clause) => clause.replace(/^[^\p{L}\p{N}]+/u, '').trimEnd())
    .filter((clause) => clause !== '');

const withoutLead = (clause: string): string => clause.replace(LEAD, '');

function isRequest(clauses: readonly string[]): boolean {
  if (ANOTHER.test(withoutLead(clauses.join(', ')))) return true;
  const question = clauses.findIndex((clause) => QUESTION.test(clause) && !asks(clause));
  return clauses.some(
    (clause, at) =>
      asks(clause) &&
      (MARK.test(clause) ||
        ((question === -1 || at < question) && (at === 0 || /\s/.test(withoutLead(clause))))),
  );
}

/** Whether a clause alone is a request. */
function asks(clause: string): boolean {
  const order = withoutLead(clause);
  if (BEGINS.test(order) || WANTS.test(clause)) return true;
  if (AT_END.test(clause) && !QUESTION.test(clause)) return true;
  return LOOKS.test(order) && !READ.test(order.replace(LOOKS, ''));
}
