import type { Brief } from '../../../domain/diagnosis/brief.js';
import type { JsonObject } from '../../../lib/json.js';
import type { Answer, Plan } from '../plan.js';
import { rowsKey, type Facts, type Listed, type Shape } from './facts.js';
import { mayName, subjectIn } from './names.js';
import { mentions, type Question } from './question.js';
import type { spokenOf } from './spoken-of.js';
import { CONFUSED, nodesIn, topologiesText, type Told } from './replies.js';

export type OracleBrief = Extract<Brief, { role: 'oracle' }>;
type Call = Plan['calls'][number];

/** Topologies that are read at once: as many calls as a turn may have. */
const READ = 20;
/** Diagnoses, or topologies, of a list. */
export const LISTED = 10;

export const say = (text: string): Plan => ({ reasoning: '', text, calls: [] });
export const calls = (...all: Call[]): Plan => ({ reasoning: '', text: '', calls: all });
export const call = (tool: string, args: JsonObject): Call => ({ tool, args });

/** What a plan is made from. */
export interface Asked {
  brief: OracleBrief;
  question: Question;
  /** What was spoken of before. */
  before: ReturnType<typeof spokenOf>;
  answers: readonly Answer[];
  facts: Facts;
}

/** A fact that a plan needs, or how it is come by, or why it cannot be. */
export type Found<T> = { found: T } | { plan: Plan };

/** The topology that a text names; of several the longest name. */
const named = (topologies: readonly Listed[], text: string): Listed | undefined =>
  topologies
    .filter(({ name }) => mentions(text, name))
    .sort((a, b) => b.name.length - a.name.length)[0];

export const of = (topologyId: number | undefined): JsonObject =>
  topologyId === undefined ? {} : { topology_id: topologyId };

/**
 * The topology that a question is about: the one that it or the chat names, else that which has a node that it names, else the
 * one that was spoken of, else the only one. Undefined: it names none, and there are several.
 */
export function systemFor(asked: Asked): Found<number | undefined> {
  const { question, brief, facts } = asked;
  const { topologies } = facts;
  const scope = question.topologyId ?? brief.topology?.id;
  if (scope !== undefined) return { found: scope };
  if (!topologies) return { plan: calls(call('list_topologies', {})) };
  const whole = named(topologies, question.text);
  if (whole) return { found: whole.id };
  const spoken = question.latest ? { found: undefined } : spokenSystem(asked);
  if ('plan' in spoken) return spoken;
  return mayName(question.text)
    ? systemByNode(asked, topologies, spoken.found)
    : { found: spoken.found ?? (topologies.length === 1 ? topologies[0]?.id : undefined) };
}

/** The topology that was spoken of. */
function spokenSystem({ before, facts }: Asked): Found<number | undefined> {
  const { runId, topologyId } = before;
  if (runId === undefined || topologyId !== undefined) return { found: topologyId };
  const run = facts.runs.get(runId);
  return run ? { found: run.topology_id } : { plan: calls(call('get_run', { run_id: runId })) };
}

/** The topology that has a node that the question names, first of all the one that was spoken of. */
function systemByNode(
  { question, facts }: Asked,
  topologies: readonly Listed[],
  spoken: number | undefined,
): Found<number | undefined> {
  const has = (id: number) => nodesIn(question.text, facts.shapes.get(id)).length > 0;
  const order = topologies.some(({ id }) => id === spoken) && spoken !== undefined ? [spoken] : [];
  for (const ids of [order, topologies.map(({ id }) => id)]) {
    const missing = ids.filter((id) => !facts.shapes.has(id)).slice(0, READ);
    if (missing.length > 0)
      return { plan: calls(...missing.map((id) => call('get_topology', { topology_id: id }))) };
    if (ids === order && ids.some(has)) return { found: spoken };
  }
  const subject = subjectIn(question.text);
  const fitting = topologies.filter(
    ({ id, name }) => has(id) || (subject !== undefined && mentions(name.toLowerCase(), subject)),
  );
  const [first] = fitting;
  if (fitting.length > 1)
    return { plan: say(`Which topology? Several fit:\n${topologiesText(fitting)}`) };
  if (first) return { found: first.id };
  if (subject !== undefined)
    return {
      plan: say(
        `I know no node called "${subject}", and no topology. ${topologiesText(topologies)}`,
      ),
    };
  const known = spoken ?? (topologies.length === 1 ? topologies[0]?.id : undefined);
  if (known !== undefined || topologies.length === 0) return { found: known };
  const isClear = question.wish !== 'measure' && question.wish !== 'unclear';
  return { plan: say(isClear ? whichText(question, topologies) : CONFUSED) };
}

const whichText = ({ wish }: Question, topologies: readonly Listed[]): string =>
  `${wish === 'diagnose' ? 'Which topology? Say "diagnose topology N".' : 'Of which topology?'} ${topologiesText(topologies)}`;

/** The topology that a plan cannot do without. */
export function systemNeeded(asked: Asked): Found<number> {
  const system = systemFor(asked);
  if ('plan' in system) return system;
  const { found } = system;
  return found === undefined
    ? { plan: say(whichText(asked.question, asked.facts.topologies ?? [])) }
    : { found };
}

/** The topology whose nodes a question is about. */
export function shapeFor(asked: Asked): Found<Shape> {
  const system = systemNeeded(asked);
  return 'plan' in system ? system : shapeOf(asked.facts, system.found);
}

function shapeOf(facts: Facts, topologyId: number): Found<Shape> {
  const found = facts.shapes.get(topologyId);
  return found ? { found } : { plan: calls(call('get_topology', { topology_id: topologyId })) };
}

/**
 * The diagnosis that a question is about: the one that it names, the one that was spoken of if it is of the topology that the
 * question is about, else the latest one of that topology.
 */
export function runFor(asked: Asked): Found<Told> {
  const { question, before, facts } = asked;
  if (question.runId !== undefined) return toldOf(asked, question.runId);
  const system = systemFor(asked);
  if ('plan' in system) return system;
  const topologyId = system.found;
  if (before.runId !== undefined && !question.latest && question.topologyId === undefined) {
    const spoken = spokenSystem(asked);
    if ('plan' in spoken) return spoken;
    if (spoken.found === topologyId) return toldOf(asked, before.runId);
  }
  const rows = facts.rows.get(rowsKey(topologyId, 1, 'completed'));
  if (!rows)
    return { plan: calls(call('list_runs', { ...of(topologyId), status: 'completed', limit: 1 })) };
  const [latest] = rows;
  if (latest) return toldOf(asked, latest.run_id);
  const shape = topologyId === undefined ? undefined : shapeOf(facts, topologyId);
  return shape && 'plan' in shape ? shape : { plan: say(noneText(topologyId)) };
}

const noneText = (topologyId: number | undefined): string =>
  topologyId === undefined
    ? 'No diagnosis has completed yet. Ask me to "diagnose topology N".'
    : `No diagnosis of topology ${topologyId} has completed yet. Ask me to "diagnose topology ${topologyId}".`;

/** A topology may have been removed since. */
const isThere = ({ facts, brief }: Asked, id: number): boolean =>
  facts.topologies?.some((topology) => topology.id === id) ?? brief.topology?.id === id;

function toldOf(asked: Asked, runId: string): Found<Told> {
  const { facts } = asked;
  const run = facts.runs.get(runId);
  if (!run) return { plan: calls(call('get_run', { run_id: runId })) };
  const { topology_id: id } = run;
  if (facts.shapes.has(id)) return { found: { run, shape: facts.shapes.get(id) } };
  if (!facts.topologies && !isThere(asked, id)) return { plan: calls(call('list_topologies', {})) };
  return isThere(asked, id)
    ? { plan: calls(call('get_topology', { topology_id: id })) }
    : { found: { run, shape: undefined } };
}
