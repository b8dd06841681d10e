import { HIDDEN, mentions, nodesIn } from '../../../../domain/topology/names-in-text.js';
import { list } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import { NoAnswerError, type Shape } from '../facts.js';
import { namedBy } from '../named.js';
import { readQuestion, unknownWords } from '../question.js';
import { isCauseText } from '../replies/certainty.js';
import { nodeText } from '../replies/nodes.js';
import { heldAt } from '../replies/parts.js';
import { fewOf, runLine, thenLine, type DiagnosedRun } from '../replies/report.js';
import { findRun, findTopology } from '../subject.js';
import { viewOfRun } from './topic-view.js';
import { REACHED, wereReached } from './refused.js';
import { isAbout, topicIn, type Topic } from './topics.js';

/** "Is it A or B?", "is the problem in A or in B?" */
const CHOICE =
  /^\W*(?:(?:and|so|but|then)\W+)*(?:is|was|are|were|could|might|can|may) (?:it|this|that|the (?:root )?(?:cause|problem|issue|fault|culprit|trouble)) (?:be )?(?:really |again )?(.+?),? or (.+?)\W*$/;

/** What a question offers as one of two causes: nodes, or else a topic. */
interface Alternative {
  names: string;
  topic: Topic | undefined;
}

/**
 * Reads the alternatives of a question that offers two; undefined if it offers none, or if one of
 * them is neither a node nor a topic.
 */
function alternativesIn(asked: AnswerInput): [Alternative, Alternative] | undefined {
  const [, ...sides] = CHOICE.exec(asked.question.text) ?? [];
  const [one, other] = sides.map((side) => alternativeIn(asked, side));
  return one && other ? [one, other] : undefined;
}

function alternativeIn(asked: AnswerInput, side: string): Alternative | undefined {
  const { now } = asked.brief;
  const named = namedBy({ ...asked, question: readQuestion(side, now) });
  const question = readQuestion(side, now, named);
  const topic = topicIn(question.asks);
  const rest = topic === undefined ? question.rest : question.rest.replace(topic.asks, ' ');
  const names = named.flatMap((each) => each.named.map((name) => name.toLowerCase()));
  const isName = (word: string) => word === HIDDEN || names.some((name) => mentions(name, word));
  const isRead = topic !== undefined || names.length > 0;
  if (!isRead || !unknownWords(rest).every(isName)) return undefined;
  return { names: names.join(' , '), topic: names.length > 0 ? undefined : topic };
}

/** As the question, in the topology that its alternatives are in. */
function inItsTopology(asked: AnswerInput): AnswerInput {
  const topologyId = findTopology(asked);
  return topologyId === undefined || topologyId === asked.before.topologyId
    ? asked
    : { ...asked, before: { runId: undefined, topologyId } };
}

export function offersAlternatives(asked: AnswerInput): boolean {
  if (!CHOICE.test(asked.question.text)) return false;
  try {
    return alternativesIn(inItsTopology(asked)) !== undefined;
  } catch (error) {
    if (error instanceof NoAnswerError) return false;
    throw error;
  }
}

/**
 * What the measurements say of an alternative: that it is a root cause, that something is wrong
 * with it, or that it is well. `open`: they do not show it.
 */
type Standing = 'cause' | 'wrong' | 'well' | 'open';

interface Judged {
  name: string;
  standing: Standing;
  text: string;
}

/** Says for which of two alternatives the measurements speak, and what is known of both. */
export function alternatives(given: AnswerInput): string {
  const asked = inItsTopology(given);
  const found = findRun(asked);
  const judged = (alternativesIn(asked) ?? []).map(({ names, topic }) =>
    topic ? ofTopic(asked, found, topic) : ofNodes(found, nodesIn(names, found.shape)),
  );
  const those = (standing: Standing) =>
    judged.flatMap((each) => (each.standing === standing ? [each.name] : []));
  return [
    headOf(those),
    ...judged.map(({ text }) => text),
    runLine(found.run),
    thenLine(found.run),
  ].join('\n');
}

function headOf(those: (standing: Standing) => string[]): string {
  const [causes, wrong, open] = [those('cause'), those('wrong'), those('open')];
  const others = [...wrong, ...those('well')];
  if (causes.length > 1) return 'The measurements speak for both.';
  const [cause] = causes;
  if (cause !== undefined && open.length > 0)
    return `The measurements speak for ${cause}; they do not rule out ${list(open)}.`;
  if (cause !== undefined) return `The measurements speak for ${cause}, not for ${list(others)}.`;
  if (open.length > 0) return `I cannot tell: the measurements do not show ${list(open)}.`;
  return wrong.length > 0
    ? `The measurements speak for neither as the root cause. Something is wrong with ${list(wrong)}.`
    : 'The measurements speak for neither.';
}

function ofNodes(found: DiagnosedRun, nodes: Shape['nodes']): Judged {
  const answers = nodes.map((node) => isCauseText(found, node));
  const isWrong = nodes.some(({ id }) => heldAt(found.run, id, 'wrong') === true);
  const isCause = answers.some((each) => each === 'Yes.' || each === 'Probably.');
  const isOpen = nodes.length === 0 || answers.includes('I cannot tell.');
  return {
    name: list(fewOf(nodes.map(({ name }) => name))),
    standing: isCause ? 'cause' : isWrong ? 'wrong' : isOpen ? 'open' : 'well',
    text: nodes.map((node) => nodeText(found, node)).join(' '),
  };
}

function ofTopic(asked: AnswerInput, found: DiagnosedRun, topic: Topic): Judged {
  const { name } = topic;
  const { root_causes = [], findings = [] } = found.run.report ?? {};
  const isOfTopic = (each: Parameters<typeof isAbout>[1]) => isAbout(topic, each);
  const causes = root_causes.filter(isOfTopic);
  const view = viewOfRun(asked, found, topic);
  const faults = findings.filter((each) => each.severity !== 'info' && isOfTopic(each));
  const isSilent = view.measured.length === 0 && view.faults.length === 0;
  const all = [...causes, ...faults];
  const isReached = wereReached(
    topic,
    all.map(({ title }) => title),
  );
  const standing = isReached
    ? 'well'
    : causes.length > 0
      ? 'cause'
      : faults.length > 0
        ? 'wrong'
        : isSilent
          ? 'open'
          : 'well';
  const said = isSilent
    ? `Nothing about ${name} was measured.`
    : faults.length === 0
      ? `Nothing was found to be wrong about ${name} where it was measured.`
      : `Found about ${name}: ${list(fewOf(view.faults))}.`;
  const reached = isReached ? ` ${REACHED}` : '';
  return { name, standing, text: `${said}${reached}` };
}
