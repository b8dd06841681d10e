import { HIDDEN, mentions, nodesIn } from '../../../../domain/topology/names-in-text.js';
import { list } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import { NoAnswerError, type Shape, type TopologyRow } from '../facts.js';
import { lastFailureOfEach, latestOfEach } from '../latest.js';
import { hasNode, namedBy } from '../subject/named.js';
import { pastFailure } from '../over-time/past-failure.js';
import { asksForPast } from '../over-time/tense.js';
import { readQuestion, unknownWords } from '../reading/question.js';
import { isCauseText } from '../replies/certainty.js';
import { nodeText } from '../replies/nodes.js';
import { nameText, verdictLines, type LatestRun } from '../replies/every-topology.js';
import { held, heldAt } from '../replies/parts.js';
import { fewOf, runLine, thenLine, type DiagnosedRun } from '../replies/report.js';
import { diagnosed, findRun, findTopology } from '../subject/subject.js';
import { viewOfRun } from './topic-view.js';
import { REACHED, wereReached } from './refused.js';
import { isAbout, topicIn, type Topic } from './topics.js';

/** "Is it A or B?", "is the problem in A or in B?" */
const CHOICE =
  /^\W*(?:(?:and|so|but|then)\W+)*(?:is|was|are|were|could|might|can|may) (?:it|this|that|the (?:root )?(?:cause|problem|issue|fault|culprit|trouble)) (?:be )?(?:really |again )?(.+\bor\b.+?)(?: (?:that|which) (?:is|are|was|were)\b[^,]*)?\W*$/;
/** What stands between alternatives. */
const BETWEEN = /\s*,\s*(?:or\s+)?|\s+or\s+/;

/** What a question offers as a cause: a topology, nodes, or else a topic. */
interface Alternative {
  /** The only topology that has what is named. */
  topology: TopologyRow | undefined;
  /** It names that topology, and none of its nodes. */
  isWhole: boolean;
  names: string;
  topic: Topic | undefined;
}

/**
 * Reads the alternatives of a question that offers some; undefined if it offers none, or if one of
 * them is no topology, no node and no topic.
 */
function alternativesIn(asked: AnswerInput): Alternative[] | undefined {
  const [, choice] = CHOICE.exec(asked.question.text) ?? [];
  const sides = (choice?.split(BETWEEN) ?? []).map((side) => alternativeIn(asked, side));
  const known = sides.filter((side) => side !== undefined);
  return known.length > 1 && known.length === sides.length ? known : undefined;
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
  const [only, ...more] = named;
  return {
    topology: more.length === 0 ? only : undefined,
    isWhole: named.some((each) => !hasNode(each)),
    names: names.join(' , '),
    topic: names.length > 0 ? undefined : topic,
  };
}

/** As the question, in the topology that its alternatives are in. */
function inItsTopology(asked: AnswerInput): AnswerInput {
  const topologyId = findTopology(asked);
  return topologyId === undefined || topologyId === asked.before.topologyId
    ? asked
    : { ...asked, before: { runId: undefined, topologyId } };
}

export const offersAlternatives = (asked: AnswerInput): boolean =>
  alternativesOf(asked) !== undefined;

interface Offer {
  /** The question, in the topology of its alternatives if they are in one. */
  asked: AnswerInput;
  all: Alternative[];
  /** They are in several topologies, or topologies themselves. */
  isAcross: boolean;
}

function alternativesOf(asked: AnswerInput): Offer | undefined {
  if (!CHOICE.test(asked.question.text)) return undefined;
  const all = alternativesIn(asked) ?? [];
  const ids = new Set(all.map(({ topology }) => topology?.id));
  if (!ids.has(undefined) && (ids.size > 1 || all.some(({ isWhole }) => isWhole)))
    return { asked, all, isAcross: true };
  try {
    const inside = inItsTopology(asked);
    const own = alternativesIn(inside);
    return own && { asked: inside, all: own, isAcross: false };
  } catch (error) {
    if (error instanceof NoAnswerError) return undefined;
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

/** Says for which alternatives the measurements speak, and what is known of each. */
export function alternatives(given: AnswerInput): string {
  const offered = alternativesOf(given);
  if (!offered) throw new NoAnswerError(given.help);
  const { asked, all } = offered;
  if (offered.isAcross) return acrossTopologies(asked, all);
  const latest = findRun(asked);
  const past = pastFailure({ ...asked, question: { ...asked.question, names: '' } }, latest);
  const found = past?.found ?? latest;
  const judged = all.map(({ names, topic }) =>
    topic ? ofTopic(asked, found, topic) : ofNodes(found, nodesIn(names, found.shape)),
  );
  return [
    headOf(judged),
    ...(past ? [past.note] : []),
    ...judged.map(({ text }) => text),
    runLine(found.run),
    thenLine(found.run),
  ].join('\n');
}

/** Judges topologies, and nodes of several, by the latest diagnoses, or the last with failures. */
function acrossTopologies(asked: AnswerInput, all: readonly Alternative[]): string {
  const { question, facts } = asked;
  const latest = latestOfEach(facts);
  const then = asksForPast(question) ? lastFailureOfEach(facts) : latest;
  const known = latest.map((each, i) => (then[i]?.run ? then[i] : each));
  const judged = all.flatMap(({ topology, isWhole, names }) => {
    const of = known.find((each) => each.topology.id === topology?.id);
    if (!of) return [];
    if (isWhole || !of.run) return [ofTopology(of)];
    const found = diagnosed(asked, of.run.run_id);
    const its = ofNodes(found, nodesIn(names, found.shape));
    return [{ ...its, text: `- ${its.text} ${runLine(found.run)}` }];
  });
  return [
    headOf(judged),
    ...judged.map(({ text }) => text),
    'For what is now, ask me to "diagnose topology N".',
  ].join('\n');
}

function ofTopology(latest: LatestRun): Judged {
  const { run } = latest;
  const isWrong = run && held(run, 'wrong');
  const isCause = run?.report?.verdict === 'root_cause_found';
  return {
    name: nameText(latest),
    standing: isCause ? 'cause' : isWrong ? 'wrong' : isWrong === undefined ? 'open' : 'well',
    text: verdictLines([latest]).join('\n'),
  };
}

function headOf(judged: readonly Judged[]): string {
  const those = (standing: Standing) =>
    judged.flatMap((each) => (each.standing === standing ? [each.name] : []));
  const [causes, wrong, open] = [those('cause'), those('wrong'), those('open')];
  const others = [...wrong, ...those('well')];
  if (causes.length > 1) {
    const rest = others.length + open.length > 0 ? `, not for ${list([...others, ...open])}` : '';
    return causes.length === 2 && rest === ''
      ? 'The measurements speak for both.'
      : `The measurements speak for ${list(causes)}${rest}.`;
  }
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
