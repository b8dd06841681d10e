import { mentions, nodesIn } from '../../../domain/topology/names-in-text.js';
import type { AnswerInput } from './answer-input.js';
import { NoAnswerError, SeveralFit, type TopologyRow, type Run, type Shape } from './facts.js';
import { onlyBroken, onlyFailed } from './latest.js';
import { asksForPast } from './over-time/tense.js';
import { hasNode, knownText, namedBy } from './named.js';
import { subjectIn, unknownWords } from './question.js';
import { isCommon } from './vocabulary.js';
import { topologiesText, topologyLines } from './replies/lists.js';
import type { DiagnosedRun } from './replies/report.js';

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
 * Finds the topology of a question: the one that the question or the chat names, else the one with
 * a node that the question names, else the one that was discussed before, else the only one.
 * Undefined if none is named and there are several.
 * @throws NoAnswerError if several fit, or if it names something unknown
 */
export function findTopology(asked: AnswerInput): number | undefined {
  const { question, brief, facts } = asked;
  const [given] = question.topologyIds;
  if (given !== undefined) return given;
  const own = brief.topology;
  const mayName = unknownWords(question.rest).length > 0;
  if (own && (!mayName || namedBy(asked).some(({ id }) => id === own.id))) return own.id;
  const topologies = facts.topologies();
  const [named, ...more] = [...namedIn(asked), ...besideNamed(asked)];
  if (named && more.length > 0)
    throw new SeveralFit(`Which topology? You name several:\n${topologyLines([named, ...more])}`, [
      named,
      ...more,
    ]);
  if (named) return named.id;
  const before = own || question.latest ? undefined : topologyBefore(asked);
  const otherwise = own?.id ?? before ?? (topologies.length === 1 ? topologies[0]?.id : undefined);
  if (!mayName) return otherwise;
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
  if (meant !== undefined && also.length === 0) return meant;
  if (fitting.some(({ id }) => id === before)) return before;
  if (fitting.length > 1) {
    const listed = topologies.filter(({ id }) => fitting.some((shape) => shape.id === id));
    throw new SeveralFit(`Which topology? Several fit:\n${topologyLines(listed)}`, listed);
  }
  if (fitting[0]) return fitting[0].id;
  if (subject !== undefined)
    throw new NoAnswerError(
      `I know no node called "${subject}", and no topology. ${knownText(asked)}`,
    );
  return otherwise;
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

/**
 * Finds the diagnosis of a question: the one that it names; else the one that was discussed before,
 * if it belongs to the topology of the question; else the latest one of that topology. If no
 * topology is named or was discussed, that of the only topology with a root cause; of a question
 * about what was, of the only one that had trouble; or else the latest of all.
 * @throws NoAnswerError if there is none, or if several topologies have a root cause
 */
export function findRun(asked: AnswerInput): DiagnosedRun {
  const { question, before } = asked;
  const [runId] = question.runIds;
  if (runId !== undefined) return diagnosed(asked, runId);
  const topologyId = findTopology(asked);
  if (before.runId !== undefined && !question.latest && question.topologyIds.length === 0)
    if (topologyBefore(asked) === topologyId) return diagnosed(asked, before.runId);
  const broken = topologyId === undefined && !question.latest ? onlyBroken(asked.facts) : undefined;
  if (broken) return diagnosed(asked, broken.run_id);
  const failed =
    topologyId === undefined && asksForPast(question) ? onlyFailed(asked.facts) : undefined;
  return latestOf(asked, topologyId ?? failed?.topology_id);
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

/**
 * Whether a question names a run or a topology, the chat is about one, or there is only one
 * topology.
 */
export function isNamed(asked: AnswerInput): boolean {
  const { question, brief, facts } = asked;
  if (question.runIds.length > 0 || question.latest) return true;
  if (brief.run !== undefined || brief.topology !== null) return true;
  const found = findTopology(asked);
  if (found === undefined || found !== topologyBefore(asked)) return found !== undefined;
  if (question.topologyIds.includes(found) || facts.topologies().length === 1) return true;
  return unknownWords(question.rest).length > 0 && namedBy(asked).some(({ id }) => id === found);
}

/** Whether a run or a topology is named, or the conversation has discussed one. */
export const isSaid = (asked: AnswerInput): boolean =>
  asked.before.runId !== undefined || isNamed(asked) || findTopology(asked) !== undefined;

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
