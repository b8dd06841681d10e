import { holdsFor, quantifierOf, yesOrNo } from '../measured/expectation.js';

export const WELL =
  /(?<!\bnot )\b(?:ok|okay|valid|healthy|fine|good|normal|enough|free|working|works?|reach(?:able)?|connect|resolves?|available|fast|quick|fixed|resolved|solved|repaired|recovered|gone|over|back|renewed|replaced|better)\b/;
/** Asks whether the worst has happened. */
const DONE =
  /\b(?:expired|invalid|full|exhausted|down|out of|broken|failing|failed|dead|bad|wrong)\b/;

/** What is known about a topic. */
interface TopicSummary {
  isFound: boolean;
  isMeasured: boolean;
  hasBeen: boolean;
  isMild: boolean;
  /** It asks about credentials, and this service could not sign in. */
  isRefused: boolean;
  parts: readonly (boolean | undefined)[];
}

/** Answers with yes or no, as a question asks about a topic. */
export function judgeTopic(
  { isFound, isMeasured, hasBeen, isMild, isRefused, parts }: TopicSummary,
  asks: string,
): string {
  const isOfWell = WELL.test(asks);
  const quantifier = quantifierOf(asks);
  if (quantifier !== undefined && quantifier !== (isOfWell ? 'every' : 'any'))
    return yesOrNo(
      holdsFor(
        quantifier,
        parts.map((isFaulty) => (isFaulty === undefined ? undefined : isFaulty !== isOfWell)),
      ),
    );
  if (isMild && WELL.test(asks)) return 'Yes, with a warning.';
  if (isMild && DONE.test(asks)) return 'No, but there is a warning.';
  if (!isFound && hasBeen) return 'Yes, but in earlier diagnoses only.';
  if (!isFound && isRefused && !WELL.test(asks))
    return 'For this service there is a problem, at least.';
  if (!isMeasured) return 'I cannot tell.';
  return isFound === WELL.test(asks) ? 'No.' : 'Yes.';
}
