import type { Question } from '../reading/question.js';
import { asksForRecovery } from '../replies/recovery.js';

/** Asks what was: "was it down?", "what broke?", "has it been slow?" */
const PAST =
  /\b(?:was|were|did|had|happened|caused|broke|failed|crashed|died|went)\b|\b(?:has|have)\b.*\bbeen\b/;
/** Asks what a diagnosis did, and not what was wrong. */
const OF_DIAGNOSIS =
  /\b(?:find|found|check\w*|measured?|tested|looked|you|runs?|diagnos[ei]s|executions?|say|said|report\w*)\b/;

/**
 * Whether a question is about what was wrong, at no time that it names: what is well by the latest
 * diagnosis may have been wrong before it.
 */
export const asksForPast = ({ asks, runIds, latest, time, isOfPast }: Question): boolean =>
  (isOfPast || PAST.test(asks)) &&
  !OF_DIAGNOSIS.test(asks) &&
  !asksForRecovery(asks) &&
  runIds.length === 0 &&
  !latest &&
  time === undefined;
