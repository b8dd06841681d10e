import type { Brief } from '../../../domain/diagnosis/brief.js';
import type { JsonObject } from '../../../domain/json.js';
import type { Answer, Plan } from '../plan.js';
import { rowsKey, type Facts, type Listed, type Row, type Shape } from './facts.js';
import { mentions, type Question, type spokenOf } from './question.js';
import { nodesIn, topologiesText, type Told } from './words.js';

export type OracleBrief = Extract<Brief, { role: 'oracle' }>;
type Call = Plan['calls'][number];

/** Diagnoses that are looked through for one that fits. */
const LATEST = 5;
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
export const named = (topologies: readonly Listed[], text: string): Listed | undefined =>
  topologies.filter(({ name }) => mentions(text, name)).sort((a, b) => b.name.length - a.name.length)[0];

export const of = (topologyId: number | undefined): JsonObject => (topologyId === undefined ? {} : { topology_id: topologyId });

/** The topology whose nodes a question is about. */
export function shapeFor({ question, brief, before, facts }: Asked): Found<Shape> {
  const scope = question.topologyId ?? brief.topology?.id;
  if (scope !== undefined) return shapeOf(facts, scope);
  const { topologies } = facts;
  if (!topologies) return { plan: calls(call('list_topologies', {})) };
  const known = named(topologies, question.text)?.id ?? before.topologyId ?? (topologies.length === 1 ? topologies[0]?.id : undefined);
  if (known !== undefined) return shapeOf(facts, known);
  const some = topologies.slice(0, LISTED);
  const missing = some.filter(({ id }) => !facts.shapes.has(id));
  if (missing.length > 0) return { plan: calls(...missing.map(({ id }) => call('get_topology', { topology_id: id }))) };
  const fitting = some.flatMap(({ id }) => facts.shapes.get(id) ?? []).find((shape) => nodesIn(question.text, shape).length > 0);
  return fitting ? { found: fitting } : { plan: say(`Of which topology? ${topologiesText(topologies)}`) };
}

function shapeOf(facts: Facts, topologyId: number): Found<Shape> {
  const found = facts.shapes.get(topologyId);
  return found ? { found } : { plan: calls(call('get_topology', { topology_id: topologyId })) };
}

/**
 * The diagnosis that a question is about: the one that it names, the one that was spoken of, else the latest one; of several
 * topologies, of that which the question names, or which has a node that it names.
 */
export function runFor(asked: Asked): Found<Told> {
  const { question, brief, before, facts } = asked;
  if (question.runId !== undefined) return toldOf(asked, question.runId);
  const scope = question.topologyId ?? brief.topology?.id;
  const spoken = question.latest || question.topologyId !== undefined ? undefined : before.runId;
  const { topologies } = facts;
  if (scope === undefined && !topologies) {
    const first = spoken === undefined ? call('list_runs', { status: 'completed', limit: LATEST }) : call('get_run', { run_id: spoken });
    return { plan: calls(call('list_topologies', {}), first) };
  }
  const other = named(topologies ?? [], question.text)?.id;
  if (spoken !== undefined && other === undefined) return toldOf(asked, spoken);
  const topologyId = scope ?? other;
  const rows = facts.rows.get(rowsKey(topologyId, LATEST));
  if (!rows) return { plan: calls(call('list_runs', { ...of(topologyId), status: 'completed', limit: LATEST })) };
  const [first] = rows;
  if (!first) return { plan: say(noneText(topologyId)) };
  const missing = [...new Set(rows.map((row) => row.topology_id))].filter((id) => !facts.shapes.has(id) && isThere(asked, id));
  if (missing.length > 0) return { plan: calls(...missing.map((id) => call('get_topology', { topology_id: id }))) };
  const fits = (row: Row) => nodesIn(question.text, facts.shapes.get(row.topology_id)).length > 0;
  return toldOf(asked, (rows.find(fits) ?? first).run_id);
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
  return isThere(asked, id) ? { plan: calls(call('get_topology', { topology_id: id })) } : { found: { run, shape: undefined } };
}
