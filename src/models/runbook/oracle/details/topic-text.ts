import { list } from '../../plan.js';
import { asksYesOrNo } from '../measured/expectation.js';
import { fewOf, shortened } from '../replies/report.js';
import { judgeTopic } from './judge-topic.js';
import { withTopology, type ElsewhereFindings } from './other-topologies.js';
import { REACHED, wereReached } from './refused.js';
import { faultyParts, type TopicView } from './topic-view.js';
import type { Topic } from './topics.js';

/** Asks for values, and not only for faults. */
const QUANTITY =
  /\bhow (?!long\b)|\bwhat\b(?!.*\b(?:is|are) (?:slow|laggy|sluggish)\b).*\b(?:is|are|did|say|was)\b|\busage\b|\bshow\b/;
/** Asks whether a topic is what is wrong: "is it the network?" */
const IS_CAUSE = /^\W*(?:is|was|could|might|can|may) (?:it|this|that)\b/;

export const items = (texts: readonly string[]): string[] =>
  shortened(texts.map((text) => `- ${text}`));

interface TopicInput {
  asks: string;
  /** Earlier diagnoses found faults. */
  hasBeen: boolean;
  apart?: ElsewhereFindings | undefined;
  /** When faults were last checked that may have ended since. */
  checked?: string | undefined;
  /** Its nodes are those of an earlier question. */
  isInherited?: boolean;
  /** Whether faults come from other nodes, if the question asks that. */
  reason?: string | undefined;
  /** Whether there is a fault at each node; absent: those of the view. */
  parts?: (boolean | undefined)[];
}

export function topicText(
  view: TopicView,
  topic: Topic,
  {
    asks,
    hasBeen,
    apart: elsewhere,
    checked,
    reason: given,
    isInherited = false,
    parts = faultyParts(view),
  }: TopicInput,
): string[] {
  const { faults, isMild, others, below, unhealthy, measured, blind, nodes } = view;
  const isNetwork = IS_CAUSE.test(asks) && wereReached(topic, faults);
  const reason = given ?? (isNetwork ? `No. ${REACHED}` : undefined);
  const wanted = topic.isWanted ? measured.filter(({ isWanted }) => isWanted) : [];
  const isFound = faults.length > 0 || (wanted.length > 0 && topic.isWanted !== undefined);
  const shown =
    wanted.length > 0 ? wanted : faults.length > 0 && !QUANTITY.test(asks) ? [] : measured;
  const isRepeated = (text: string) => shown.some(({ repeats }) => repeats.includes(text));
  const seen = new Set([...measured.map(({ node }) => node), ...unhealthy]);
  const unseen = nodes.filter(({ id }) => !seen.has(id)).map(({ name }) => name);
  const isMeasured = isFound || measured.length > 0;
  const answer =
    checked !== undefined && isFound
      ? `I cannot tell: it was not checked since ${checked}, when it was not fixed.`
      : judgeTopic(
          {
            isFound,
            isMeasured,
            hasBeen,
            isRefused: topic.kinds?.includes('auth') === true && blind.length > 0,
            isMild: faults.length > 0 && isMild,
            parts,
          },
          asks,
        );
  const names = fewOf(nodes.map(({ name }) => name));
  const where = nodes.length > 0 && nodes.length <= 4 ? ` at ${list(names)}` : '';
  // "Is it the network?" after a question about a node.
  const ofThese = (said: string) =>
    isInherited && IS_CAUSE.test(asks) && said === 'No.' ? `No, not${where}.` : said;
  const judgement = asksYesOrNo(asks)
    ? [isFound && reason ? reason : withTopology(ofThese(answer), elsewhere)]
    : [];
  const apart =
    faults.length === 0 && others.length > 0 && !QUANTITY.test(asks)
      ? ['Found apart from that:', ...items(others)]
      : [];
  const needed =
    below.length > 0
      ? [
          `Found about ${topic.name} at what ${list(names)} ${nodes.length === 1 ? 'depends' : 'depend'} on:`,
          ...items(below),
        ]
      : [];
  const unmeasured =
    blind.length > 0 ? ['Not measured for a reason about it:', ...items(blind)] : [];
  if (!isMeasured)
    return [
      [...judgement, `Nothing about ${topic.name} was measured${where}.`].join(' '),
      ...unmeasured,
      ...needed,
      ...apart,
    ];
  const head =
    faults.length > 0
      ? `Found about ${topic.name}:`
      : wanted.length > 0
        ? `Measured about ${topic.name}:`
        : `Nothing was found to be wrong about ${topic.name} where it was measured:`;
  return [
    [...judgement, head].join(' '),
    ...items([...faults.filter((text) => !isRepeated(text)), ...shown.map(({ text }) => text)]),
    ...(unseen.length > 0 && faults.length === 0
      ? [`Nothing about ${topic.name} was measured at ${list(fewOf(unseen))}.`]
      : []),
    ...unmeasured,
    ...needed,
    ...apart,
  ];
}
