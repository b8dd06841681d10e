import { mentions, nodesIn } from '../../../../domain/topology/names-in-text.js';
import type { AnswerInput } from '../answer-input.js';
import { NoAnswerError, SeveralFit, type TopologyRow, type Run, type Shape } from '../facts.js';
import { onlyBroken, onlyFailed } from '../latest.js';
import { asksForPast } from '../over-time/tense.js';
import { hasNode, knownText, namedBy } from './named.js';
import { subjectIn, unknownWords } from '../reading/question.js';
import { isCommon } from '../reading/vocabulary.js';
import { topologiesText, topologyLines } from '../replies/lists.js';
import type { DiagnosedRun } from '../replies/report.js';

/** Returns the topologies whose whole names a question has. */
const namedIn = (asked: AnswerInput): TopologyRow[] =>
  unknownWords(asked.question.rest).length === 0
    ? []
    : namedBy(asked).filter(({ name, named }) =>
        named.some((each) => each.toLowerCase() === name.toLowerCase()),
      );

/**
 * Returns the topologies with nodes that a question names beside a whole topology: "web and the
 * blog".
 */
function besideNamed(asked: AnswerInput): TopologyRow[] {
  const whole = namedIn(asked).map(({ id }) => id);
  return whole.length === 0
    ? []
    : namedBy(asked).filter((each) => hasNode(each) && !whole.includes(each.id));
}

/** Returns all topologies that a question names, by id, by name or by a part of the name. */
export function topologiesNamed(asked: AnswerInput): number[] {
  const { question } = asked;
  if (question.topologyIds.length > 1) return [...new Set(question.topologyIds)];
  const named = namedIn(asked).map(({ id }) => id);
  return [...new Set([...question.topologyIds, ...named, ...partlyNamed(asked)])];
}

/**
 * Returns the topologies with a name that the question says in part: a word that names no other
 * topology and no node of one.
 */
function partlyNamed(asked: AnswerInput): number[] {
  if (unknownWords(asked.question.rest).length === 0) return [];
  const all = namedBy(asked).map(({ id, name, named }) => ({
    id,
    name: name.toLowerCase(),
    named: new Set(named.map((each) => each.toLowerCase())),
  }));
  const isOnlyOf = (id: number, word: string) =>
    all.every((other) => other.id === id || !other.named.has(word));
  return all
    .filter(({ id, name, named }) =>
      [...named].some((word) => !isCommon(word) && mentions(name, word) && isOnlyOf(id, word)),
    )
    .map(({ id }) => id);
}

/**
 * What says what a question is about. The first of these that says anything wins: the question
 * itself, the request or the page of the chat, the conversation before it, or that there is only
 * one topology.
 */
export type SaidBy = 'question' | 'chat' | 'conversation' | 'only';

/** What a question is about. */
export interface Subject {
  /** Undefined: nothing says it, and there are several topologies. */
  by: SaidBy | undefined;
  /** Undefined: not clear, or that of a run that the question names. */
  topologyId: number | undefined;
  /** Undefined: the latest one of the topology. */
  runId: string | undefined;
}

/**
 * Returns what a question is about: the run that it names; else its topology, with the run that was
 * discussed before if that belongs to it.
 * @throws NoAnswerError if several topologies fit, or if it names something unknown
 */
export function subjectOf(asked: AnswerInput): Subject {
  const { question, before } = asked;
  const [named] = question.runIds;
  if (named !== undefined) return { by: 'question', topologyId: undefined, runId: named };
  const { id, by } = placeOf(asked);
  const isCarriedOn =
    before.runId !== undefined &&
    !question.latest &&
    question.topologyIds.length === 0 &&
    topologyBefore(asked) === id;
  return {
    by: by ?? (question.latest ? 'question' : undefined),
    topologyId: id,
    runId: isCarriedOn ? before.runId : undefined,
  };
}

/** The topology of a question, also of one that names a run; undefined if it is not clear. */
export const findTopology = (asked: AnswerInput): number | undefined => placeOf(asked).id;

/** A topology, and what says that it is meant. */
interface Place {
  id: number | undefined;
  by: SaidBy | undefined;
}

function placeOf(asked: AnswerInput): Place {
  const { question, brief, facts } = asked;
  const named = (id: number): Place => ({ id, by: 'question' });
  const [given] = question.topologyIds;
  if (given !== undefined) return named(given);
  const own = brief.topology;
  const mayName = unknownWords(question.rest).length > 0;
  if (own && (!mayName || namedBy(asked).some(({ id }) => id === own.id)))
    return { id: own.id, by: 'chat' };
  const topologies = facts.topologies();
  const [whole, ...more] = [...namedIn(asked), ...besideNamed(asked)];
  if (whole && more.length > 0)
    throw new SeveralFit(`Which topology? You name several:\n${topologyLines([whole, ...more])}`, [
      whole,
      ...more,
    ]);
  if (whole) return named(whole.id);
  const unnamed = unnamedPlace(asked, topologies);
  if (!mayName) return unnamed;
  const before = own || question.latest ? undefined : topologyBefore(asked);
  const has = (shape: Shape) => nodesIn(question.names, shape).length > 0;
  const subject = subjectIn(question.rest);
  const fitting = facts
    .shapes(namedBy(asked).map(({ id }) => id))
    .filter(
      (shape) =>
        has(shape) || (subject !== undefined && mentions(shape.name.toLowerCase(), subject)),
    );
  const partly = own ? [] : partlyNamed(asked);
  const [meant, ...also] =
    fitting.length > 0 ? partly.filter((id) => fitting.some((shape) => shape.id === id)) : partly;
  if (meant !== undefined && also.length === 0) return named(meant);
  if (before !== undefined && fitting.some(({ id }) => id === before)) return named(before);
  if (fitting.length > 1) {
    const listed = topologies.filter(({ id }) => fitting.some((shape) => shape.id === id));
    throw new SeveralFit(`Which topology? Several fit:\n${topologyLines(listed)}`, listed);
  }
  if (fitting[0]) return named(fitting[0].id);
  if (subject !== undefined)
    throw new NoAnswerError(
      `I know no node called "${subject}", and no topology. ${knownText(asked)}`,
    );
  return unnamed;
}

/** The topology of a question that names none. */
function unnamedPlace(asked: AnswerInput, topologies: readonly TopologyRow[]): Place {
  const { brief, question } = asked;
  if (brief.topology) return { id: brief.topology.id, by: 'chat' };
  const [only, ...others] = topologies;
  if (only && others.length === 0) return { id: only.id, by: 'only' };
  // "When was it last checked?" is about the same topology, and not about the same run.
  const isOfAll = question.latest && !question.isReferring;
  const before = isOfAll ? undefined : topologyBefore(asked);
  return before === undefined
    ? { id: undefined, by: undefined }
    : { id: before, by: brief.run === undefined ? 'conversation' : 'chat' };
}

/** Returns the topology that was discussed before. */
function topologyBefore({ before, facts }: AnswerInput): number | undefined {
  const { runId, topologyId } = before;
  return topologyId ?? (runId === undefined ? undefined : facts.run(runId).topology_id);
}

/** Returns the topology that an answer needs. @throws NoAnswerError if the topology is not clear */
export function needTopology(asked: AnswerInput, question: string): number {
  const found = findTopology(asked);
  if (found === undefined)
    throw new NoAnswerError(`${question} ${topologiesText(asked.facts.topologies())}`);
  return found;
}

/** Whether the question or the chat says what is meant, or there is only one topology. */
export function isNamed(asked: AnswerInput): boolean {
  const { by } = subjectOf(asked);
  return by !== undefined && by !== 'conversation';
}

/** Whether anything says what is meant: also what the conversation has discussed. */
export const isSaid = (asked: AnswerInput): boolean => subjectOf(asked).by !== undefined;

/**
 * Returns the topology that a question means if nothing says one: the only one with a root cause by
 * its latest diagnosis; of a question about what was, the only one that had failures. Undefined if
 * there is none.
 * @throws SeveralFit if there are several
 */
export function wrongNow({ facts, question }: AnswerInput): number | undefined {
  const row = onlyBroken(facts) ?? (asksForPast(question) ? onlyFailed(facts) : undefined);
  return row?.topology_id;
}

/**
 * Finds the diagnosis of a question: that of its subject; if nothing says one, that of the topology
 * where something is wrong, or else the latest of all.
 * @throws NoAnswerError if there is none, or if several topologies have a root cause
 */
export function findRun(asked: AnswerInput): DiagnosedRun {
  const { runId, topologyId } = subjectOf(asked);
  if (runId !== undefined) return diagnosed(asked, runId);
  const meant = topologyId ?? (asked.question.latest ? undefined : wrongNow(asked));
  return latestOf(asked, meant);
}

/** How long a diagnosis may answer for the present, in ms. */
const FRESH_FOR = 5 * 60_000;

/** Whether a diagnosis ended so recently that it may answer for the present. */
export const isFresh = ({ ended_at }: Run, now: number): boolean =>
  ended_at !== null && now - Date.parse(ended_at) <= FRESH_FOR;

/** As `findRun`; undefined if there is none. */
export function findRunIfAny(asked: AnswerInput): DiagnosedRun | undefined {
  try {
    return findRun(asked);
  } catch (error) {
    if (error instanceof NoAnswerError) return undefined;
    throw error;
  }
}

/** Returns the latest completed diagnosis of a topology, or of all topologies. */
export function latestOf(asked: AnswerInput, topologyId: number | undefined): DiagnosedRun {
  const { facts } = asked;
  const [row] = facts.rows({ topology_id: topologyId, status: 'completed', limit: 1 });
  if (row) return diagnosed(asked, row.run_id);
  // Throws if there is no such topology.
  if (topologyId !== undefined) facts.shape(topologyId);
  throw new NoAnswerError(
    topologyId === undefined
      ? 'No diagnosis has completed yet. Ask me to "diagnose topology N".'
      : `No diagnosis of topology ${topologyId} has completed yet. Ask me to "diagnose topology ${topologyId}".`,
  );
}

/** As `diagnosed`, for several at once. */
export function allDiagnosed(asked: AnswerInput, runIds: readonly string[]): DiagnosedRun[] {
  const { facts } = asked;
  const ids = facts.runs(runIds).map(({ topology_id }) => topology_id);
  facts.shapes(facts.topologies().flatMap(({ id }) => (ids.includes(id) ? [id] : [])));
  return runIds.map((id) => diagnosed(asked, id));
}

/** Returns a diagnosis with its topology, if that still exists. */
export function diagnosed({ facts, brief }: AnswerInput, runId: string): DiagnosedRun {
  const run = facts.run(runId);
  const { topology_id: id } = run;
  const isThere =
    brief.topology?.id === id || facts.topologies().some((topology) => topology.id === id);
  return { run, shape: isThere ? facts.shape(id) : undefined };
}
