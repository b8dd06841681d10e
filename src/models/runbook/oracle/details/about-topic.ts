import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import type { AnswerInput } from '../answer-input.js';
import { evidence } from '../answers/evidence.js';
import { allAtOnce } from '../facts.js';
import { lastFailureOfEach, latestOfEach } from '../latest.js';
import { asksYesOrNo } from '../measured/expectation.js';
import { asksForPast } from '../over-time/tense.js';
import { runLine, thenLine, timeText, type DiagnosedRun } from '../replies/report.js';
import { asksForRecovery } from '../replies/recovery.js';
import {
  allDiagnosed,
  findRun,
  findRunIfAny,
  isFresh,
  findTopology,
  isNamed,
  isSaid,
} from '../subject/subject.js';
import { becauseIn, becauseText, type CausalQuestion } from './because.js';
import { stateIn } from '../over-time/outage.js';
import { inOthers } from './other-topologies.js';
import { asksForBefore, beforeText, earlierFaults, NONE_EARLIER } from './earlier-faults.js';
import { WELL } from './judge-topic.js';
import { items, topicText } from './topic-text.js';
import {
  asksWhy,
  faultyParts,
  stateNow,
  viewOfNow,
  viewOfRun,
  type TopicView,
} from './topic-view.js';
import { CHANGES, topicIn, type Topic } from './topics.js';

const PAST = /\b(?:was|were|did|had|(?:has|have)(?: \w+)? been|earlier|before)\b/;
/** Maximum of nodes of all topologies whose measurements are read for one answer. */
const MOST_NODES = 60;

/**
 * Answers a question with a topic about that topic alone: with what was measured or found about it
 * at the nodes that it names, in the diagnosis in question, or in the latest one of every topology;
 * measures it now if the chat has a topology and the question is about now. Says at which nodes it
 * was not measured.
 */
export function aboutTopic(given: AnswerInput): string {
  const { question, brief } = given;
  const topic = topicIn(question.asks) as Topic;
  // "Is it DNS?" names no node.
  const rest = question.rest.replaceAll(new RegExp(topic.asks.source, 'g'), ' ');
  const asked = { ...given, question: { ...question, rest } };
  const { asks } = question;
  const isPast = PAST.test(asks) || question.latest || question.runIds.length > 0;
  const own = brief.topology;
  if (own && !isPast && brief.run === undefined && isOfOwn(asked)) return ofNow(asked, topic);
  const hasSubject = question.isUnbound ? isNamed : isSaid;
  if (!hasSubject(asked)) return inAll(asked, topic);
  const found = findRun(asked);
  const because = becauseIn(question, found.shape);
  const named = because?.effects ?? nodesIn(question.names, found.shape);
  const view = viewOfRun(asked, found, topic, { named });
  if (asksWhy(question) && view.faults.length > 0) return evidence(given, true);
  const isBefore = asksForBefore(asks) && asksYesOrNo(asks);
  const earlier =
    isBefore || (isPast && question.runIds.length === 0)
      ? earlierFaults(asked, found, topic, named)
      : NONE_EARLIER;
  const hasBeen = earlier.lines.length > 0;
  if (isBefore)
    return [
      beforeText(earlier, topic, WELL.test(asks)),
      ...earlier.lines,
      ...topicText(view, topic, { asks: '', hasBeen }),
      runLine(found.run),
      thenLine(found.run),
    ].join('\n');
  const isOfDiscussed = named.length === 0 && !isNamed(asked);
  const apart = isOfDiscussed ? inOthers(asked, topic, found.run.topology_id) : undefined;
  return [
    ...topicText(view, topic, {
      asks,
      hasBeen,
      apart,
      checked: checkedIn(asked, found),
      reason: because && reasonIn(because, found),
      isInherited: question.isInherited,
    }),
    ...(apart?.lines ?? []),
    ...earlier.lines,
    runLine(found.run),
    thenLine(found.run),
  ].join('\n');
}

/** Whether faults at some nodes come from others, by a diagnosis. */
const reasonIn = (because: CausalQuestion, { run, shape }: DiagnosedRun): string | undefined =>
  shape && becauseText(because, shape, (node) => stateIn(run, node));

/**
 * When the last check was, if a question asks whether faults have ended since; undefined if it was
 * checked just now.
 */
const checkedIn = ({ question, brief }: AnswerInput, { run }: DiagnosedRun): string | undefined =>
  asksForRecovery(question.asks) && question.runIds.length === 0 && !isFresh(run, brief.now)
    ? timeText(run.ended_at ?? run.created_at)
    : undefined;

const isOfOwn = (asked: AnswerInput): boolean => findTopology(asked) === asked.brief.topology?.id;

/**
 * Measures now. If nothing measures the topic now, returns what the last diagnosis measured; and
 * what it found that is gone now.
 */
function ofNow(asked: AnswerInput, topic: Topic): string {
  const { question, brief } = asked;
  const own = brief.topology ?? undefined;
  const because = becauseIn(question, own);
  const named = because?.effects ?? nodesIn(question.names, own);
  const view = viewOfNow(asked, topic, new Set(named.map(({ id }) => id)));
  const found = findRunIfAny(asked);
  const before = found && viewOfRun(asked, found, topic, { named });
  const { asks } = question;
  const isWhy = asksWhy(question) && view.faults.length > 0;
  if (isWhy && before && before.faults.length > 0) return evidence(asked, true);
  // What is wrong apart from the topic is measured now as well.
  const isOfBefore = before !== undefined && isSilent(view) && !isSilent(before);
  if (found && isOfBefore)
    return [
      ...topicText(before, topic, {
        asks,
        hasBeen: false,
        reason: because && reasonIn(because, found),
      }),
      runLine(found.run),
      thenLine(found.run),
    ].join('\n');
  const isGone = before !== undefined && view.faults.length === 0 && before.faults.length > 0;
  const reason =
    because && own && view.faults.length > 0
      ? becauseText(because, own, (node) => stateNow(asked, node))
      : undefined;
  return [
    ...topicText(view, topic, {
      asks,
      hasBeen: false,
      reason,
      isInherited: question.isInherited,
    }),
    ...(found && isGone
      ? [`Found at ${timeText(found.run.created_at)}, and not now:`, ...items(before.faults)]
      : []),
    ...(view.measured.length > 0 ? ['That was measured just now.'] : []),
    ...(isWhy
      ? [
          `No diagnosis has found that yet: for its cause, ask me to "diagnose topology ${own?.id}".`,
        ]
      : []),
  ].join('\n');
}

function inAll(asked: AnswerInput, topic: Topic): string {
  const { facts, question } = asked;
  const latest = latestOfEach(facts);
  // A change is asked for in the past tense, whatever was wrong.
  const isPast = asksForPast(question) && !CHANGES.test(question.asks);
  const then = isPast ? lastFailureOfEach(facts) : latest;
  const runs = latest.flatMap(({ run }, i) => {
    const shown = then[i]?.run ?? run;
    return shown?.report ? [shown.run_id] : [];
  });
  const all = allDiagnosed(asked, runs);
  const nodes = all.reduce((sum, { shape }) => sum + (shape?.nodes.length ?? 0), 0);
  const readsLog = nodes <= MOST_NODES;
  const views = allAtOnce(
    all.map((found) => () => ({ found, view: viewOfRun(asked, found, topic, { readsLog }) })),
  );
  const whole: TopicView = {
    faults: views.flatMap(({ found, view }) =>
      view.faults.map((text) => `${text}. ${runLine(found.run)}`),
    ),
    isMild: views.every(({ view }) => view.isMild),
    others: [],
    below: [],
    unhealthy: new Set(),
    measured: views.flatMap(({ view }) => view.measured),
    blind: views.flatMap(({ found, view }) =>
      view.blind.map((text) => `${text} ${runLine(found.run)}`),
    ),
    nodes: [],
  };
  const { asks } = asked.question;
  // The latest diagnoses do not show how things were before them.
  const isBefore = asksForBefore(asks) && asksYesOrNo(asks);
  return [
    ...(isBefore ? ['I cannot tell how it was before the latest diagnoses: name a topology.'] : []),
    ...topicText(whole, topic, {
      asks: isBefore ? '' : asks,
      hasBeen: false,
      parts: views.flatMap(({ view }) => faultyParts(view)),
    }),
    `That is from the ${then === latest ? 'latest diagnoses' : 'last diagnoses that found something'} of ${all.length === 1 ? 'one topology' : `${all.length} topologies`}; for what is now, ask me to "diagnose topology N".`,
  ].join('\n');
}

/** Whether it says nothing about its topic. */
const isSilent = ({ faults, measured, blind }: TopicView): boolean =>
  faults.length + measured.length + blind.length === 0;
