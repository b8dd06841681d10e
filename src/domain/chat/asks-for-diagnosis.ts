import type { PastMessage } from './chat.js';

/** Matches requests for a diagnosis in the languages that most users write. */
const ASKS =
  /\b(?:(?:re)?diagnos\w*|check\w*|examin\w*|prob(?:e|ing)\b|inspect\w*|investigat\w*|troubleshoot\w*|analy[sz]\w*|scan\w*|test\w*|measur\w*|retry\b|run|start|launch|verif\w*|prüf\w*|untersuch\w*|vérifi\w*|analiz\w*|revis\w*|comprueb\w*)/iu;
const AGREES =
  /^\W*(?:yes|yep|yeah|ok(?:ay)?|sure|please|go ahead|go for it|do (?:it|so|that)|ja|bitte|oui|d'accord|s[ií]|vale)\b/iu;
const OFFERS = /diagnos/iu;

/**
 * Whether a person asks for a diagnosis: by a word of this message, or by accepting an offer in the previous message of the
 * oracle. Only the words of the person count, so that no text that the oracle has read can start a diagnosis.
 */
export function asksForDiagnosis(message: string, history: readonly PastMessage[] = []): boolean {
  if (ASKS.test(message)) return true;
  const last = history.at(-1);
  return last?.role === 'assistant' && OFFERS.test(last.text) && AGREES.test(message);
}
