import type { Brief } from '../../../domain/brief.js';
import { textOf, type JsonObject } from '../../../domain/json.js';
import { findingsOf } from '../../../domain/rules.js';
import type { ToolResult } from '../../../domain/tool-result.js';
import { list, type Answer, type Plan } from '../plan.js';
import { factsOf, rowsKey, type Facts, type Listed, type Row, type Run, type Shape } from './facts.js';
import { mentions, readQuestion, spokenOf, subjectIn, type Question } from './question.js';
import {
  checkedText,
  CONFUSED,
  durationText,
  HELP,
  logText,
  nameOf,
  nodesIn,
  nodeText,
  reportText,
  rowsText,
  runLine,
  shapeText,
  sinceText,
  topologiesText,
  type Told,
} from './words.js';

type OracleBrief = Extract<Brief, { role: 'oracle' }>;
type Call = Plan['calls'][number];

/** Diagnoses that are looked through for one that fits; that are looked back at; that are listed. */
const [LATEST, BACK, LISTED] = [5, 20, 10];
/** Of these, how many are read. */
const READ_BACK = 8;
/** Pieces of evidence that are shown. */
const SHOWN = 8;
/** How often the runbook waits on for a diagnosis. */
const PATIENCE = 3;
/** Measurements of one question: as many calls as a turn may have. */
const MOST_LOOKS = 20;

const say = (text: string): Plan => ({ reasoning: '', text, calls: [] });
const calls = (...all: Call[]): Plan => ({ reasoning: '', text: '', calls: all });
const call = (tool: string, args: JsonObject): Call => ({ tool, args });

/** What a plan is made from. */
interface Turn {
  brief: OracleBrief;
  question: Question;
  /** What was spoken of before. */
  before: ReturnType<typeof spokenOf>;
  answers: readonly Answer[];
  facts: Facts;
}

/** A fact that a plan needs, or how it is come by, or why it cannot be. */
type Found<T> = { found: T } | { plan: Plan };

/**
 * The oracle's turn: what the question asks for by its words is looked up, and told. It looks up what it lacks, call by call,
 * until it can say something.
 * @param said what was said before in the conversation, oldest first
 */
export function planOracle(brief: OracleBrief, said: readonly string[], answers: readonly Answer[], tools: ReadonlySet<string>): Plan {
  const question = readQuestion(brief.userMessage);
  const failed = answers.find((answer) => answer.failed && !isMeasuring(brief, answer.tool));
  if (failed) return say(`I could not find that out: ${errorOf(failed)}`);
  const plan = planWish({ brief, question, before: spokenOf(said), answers, facts: factsOf(answers) });
  const missing = plan.calls.find(({ tool }) => !tools.has(tool));
  if (missing) return say(`I may not look that up: ${missing.tool} is not among the \`sources\` of this question.`);
  const names = [...new Set(plan.calls.map(({ tool }) => tool))];
  return brief.thinking && names.length > 0 ? { ...plan, reasoning: `I need ${list(names)}.` } : plan;
}

const isMeasuring = ({ topology }: OracleBrief, tool: string): boolean =>
  topology?.nodes.some(({ firstLook }) => firstLook.some((look) => look.tool === tool)) === true;

/** What a failed call came back with. */
function errorOf({ tool, output }: Answer): string {
  const text = textOf((output ?? undefined) as JsonObject | undefined, 'error') || (typeof output === 'string' ? output : '');
  return text === '' ? `${tool} did not work.` : text;
}

function planWish(turn: Turn): Plan {
  const { question, answers, facts } = turn;
  switch (question.wish) {
    case 'open-page':
      return answers.length > 0 ? say(`Opening ${question.page}.`) : calls(call('navigate_to_page', { page: question.page ?? '' }));
    case 'help':
      return say(HELP);
    case 'topologies':
      return facts.topologies ? say(topologiesText(facts.topologies)) : calls(call('list_topologies', {}));
    case 'diagnose':
      return diagnose(turn);
    case 'runs':
      return listRuns(turn);
    case 'shape':
      return told(shapeFor(turn), (shape) => shapeText(question.text, shape));
    case 'measure':
      return measure(turn);
    case 'unclear':
      return isAbout(turn) ? explain(turn) : say(CONFUSED);
    case 'since':
      return since(turn);
    case 'duration':
      return told(runFor(turn), durationText);
    case 'checked':
      return told(runFor(turn), checkedText);
    case 'log':
      return showLog(turn, false);
    case 'why':
      return showLog(turn, true);
    case 'explain':
      return explain(turn);
  }
}

const told = <T>(wanted: Found<T>, words: (found: T) => string): Plan => ('plan' in wanted ? wanted.plan : say(words(wanted.found)));

/** Whether a question that says nothing else may be about what the conversation is about. */
const isAbout = ({ question, before, brief }: Turn): boolean =>
  before.runId !== undefined || nodesIn(question.text, brief.topology ?? undefined).length > 0;

/** The topology that a text names; of several the longest name. */
const named = (topologies: readonly Listed[], text: string): Listed | undefined =>
  topologies.filter(({ name }) => mentions(text, name)).sort((a, b) => b.name.length - a.name.length)[0];

function diagnose(turn: Turn): Plan {
  const { question, brief, before, answers, facts } = turn;
  const last = answers.findLast(({ tool }) => tool === 'start_diagnosis' || tool === 'follow_diagnosis');
  if (last) return follow(turn, last.output as JsonObject);
  const scope = question.topologyId ?? brief.topology?.id;
  if (scope === undefined && !facts.topologies) return calls(call('list_topologies', {}));
  const all = facts.topologies ?? [];
  const topologyId = scope ?? named(all, question.text)?.id ?? before.topologyId ?? (all.length === 1 ? all[0]?.id : undefined);
  if (topologyId === undefined) return say(`Which topology? Say "diagnose topology N". ${topologiesText(all)}`);
  return calls(call('start_diagnosis', { topology_id: topologyId, problem: brief.userMessage }));
}

function follow({ answers, facts, brief }: Turn, output: JsonObject): Plan {
  const run = facts.runs.get(textOf(output, 'run_id'));
  if (run) {
    const shape = brief.topology ?? facts.shapes.get(run.topology_id);
    return shape ? say(reportText({ run, shape })) : calls(call('get_topology', { topology_id: run.topology_id }));
  }
  const { run_id = '', last_sequence = 0 } = output;
  const followed = answers.filter(({ tool }) => tool === 'follow_diagnosis').length;
  if (followed < PATIENCE) return calls(call('follow_diagnosis', { run_id, after: last_sequence }));
  return say(`The diagnosis is still going on: run ${textOf(output, 'run_id')}. Ask me for its result later.`);
}

function listRuns({ question, brief, facts }: Turn): Plan {
  const scope = question.topologyId ?? brief.topology?.id;
  if (scope === undefined && !facts.topologies) return calls(call('list_topologies', {}));
  const topologyId = scope ?? named(facts.topologies ?? [], question.text)?.id;
  const rows = facts.rows.get(rowsKey(topologyId, LISTED));
  return rows ? say(rowsText(rows)) : calls(call('list_runs', { ...of(topologyId), limit: LISTED }));
}

const of = (topologyId: number | undefined): JsonObject => (topologyId === undefined ? {} : { topology_id: topologyId });

/** The topology whose nodes a question is about. */
function shapeFor({ question, brief, before, facts }: Turn): Found<Shape> {
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

/** Nodes of the chat's own topology can be looked at now; of others it is told what was found last. */
function measure(turn: Turn): Plan {
  const { brief, question, answers } = turn;
  const all = brief.topology?.nodes ?? [];
  const asked = all.filter(({ id, name }) => mentions(question.text, id) || mentions(question.text, name));
  const nodes = asked.length === 0 && question.isForAll ? all : asked;
  if (nodes.length === 0) return explain(turn);
  if (answers.length > 0) return say(measuredText(turn));
  return calls(...nodes.flatMap(({ firstLook }) => firstLook).slice(0, MOST_LOOKS));
}

/** What diagnostic tools have measured, by node. */
function measuredText({ brief, answers }: Turn): string {
  const lines = answers.map((answer) => {
    const { id, tool, args, output, failed } = answer;
    const node = textOf(args, 'node');
    const name = nameOf({ shape: brief.topology ?? undefined }, node);
    if (failed) return `- ${name}: ${tool} did not answer: ${errorOf(answer)}`;
    const result = output as unknown as ToolResult;
    const news = findingsOf(node, [{ tool, evidence: id, result }]).filter(({ title }) => !result.summary.includes(title));
    return `- ${name}: ${result.summary}${news.length > 0 ? ` (${list(news.map(({ title }) => title))})` : ''}`;
  });
  return `Measured just now:\n${lines.join('\n')}`;
}

/**
 * The diagnosis that a question is about: the one that it names, the one that was spoken of, else the latest one; of several
 * topologies, of that which the question names, or which has a node that it names.
 */
function runFor(turn: Turn): Found<Told> {
  const { question, brief, before, facts } = turn;
  if (question.runId !== undefined) return toldOf(turn, question.runId);
  const scope = question.topologyId ?? brief.topology?.id;
  const spoken = question.latest || question.topologyId !== undefined ? undefined : before.runId;
  const { topologies } = facts;
  if (scope === undefined && !topologies) {
    const first = spoken === undefined ? call('list_runs', { status: 'completed', limit: LATEST }) : call('get_run', { run_id: spoken });
    return { plan: calls(call('list_topologies', {}), first) };
  }
  const other = named(topologies ?? [], question.text)?.id;
  if (spoken !== undefined && other === undefined) return toldOf(turn, spoken);
  const topologyId = scope ?? other;
  const rows = facts.rows.get(rowsKey(topologyId, LATEST));
  if (!rows) return { plan: calls(call('list_runs', { ...of(topologyId), status: 'completed', limit: LATEST })) };
  const [first] = rows;
  if (!first) return { plan: say(noneText(topologyId)) };
  const missing = [...new Set(rows.map((row) => row.topology_id))].filter((id) => !facts.shapes.has(id) && isThere(turn, id));
  if (missing.length > 0) return { plan: calls(...missing.map((id) => call('get_topology', { topology_id: id }))) };
  const fits = (row: Row) => nodesIn(question.text, facts.shapes.get(row.topology_id)).length > 0;
  return toldOf(turn, (rows.find(fits) ?? first).run_id);
}

const noneText = (topologyId: number | undefined): string =>
  topologyId === undefined
    ? 'No diagnosis has completed yet. Ask me to "diagnose topology N".'
    : `No diagnosis of topology ${topologyId} has completed yet. Ask me to "diagnose topology ${topologyId}".`;

/** A topology may have been removed since. */
const isThere = ({ facts, brief }: Turn, id: number): boolean =>
  facts.topologies?.some((topology) => topology.id === id) ?? brief.topology?.id === id;

function toldOf(turn: Turn, runId: string): Found<Told> {
  const { facts } = turn;
  const run = facts.runs.get(runId);
  if (!run) return { plan: calls(call('get_run', { run_id: runId })) };
  const { topology_id: id } = run;
  if (facts.shapes.has(id)) return { found: { run, shape: facts.shapes.get(id) } };
  if (!facts.topologies && !isThere(turn, id)) return { plan: calls(call('list_topologies', {})) };
  return isThere(turn, id) ? { plan: calls(call('get_topology', { topology_id: id })) } : { found: { run, shape: undefined } };
}

const explain = (turn: Turn): Plan => told(runFor(turn), (found) => explainText(turn.question, found));

/** Of the nodes that a question names what was found of them, else of all. */
function explainText({ text, wish, isForAll }: Question, found: Told): string {
  const { run, shape } = found;
  const nodes = nodesIn(text, shape);
  const now = wish === 'measure' ? [`That was then; for what is now, ask me to "diagnose topology ${run.topology_id}".`] : [];
  if (nodes.length > 0 && run.report) return [...nodes.map((node) => nodeText(found, node)), runLine(run), ...now].join('\n');
  const isNamed = mentions(text, run.topology_name) || text.includes(run.run_id);
  if ((wish === 'unclear' || wish === 'measure') && !isForAll && !isNamed) return CONFUSED;
  const subject = subjectIn(text);
  const isKnown = subject === undefined || !shape || mentions(run.topology_name.toLowerCase(), subject);
  return [...(isKnown ? [] : [`I know no node called "${subject}" in what was diagnosed last.`]), reportText(found), ...now].join('\n');
}

/** What is wrong: of the nodes that the question names, else the causes, else all that was found. */
function evidenceFor({ text }: Question, { run, shape }: Told): number[] {
  const { root_causes: causes = [], findings = [] } = run.report ?? {};
  const nodes = nodesIn(text, shape).map(({ id }) => id);
  const own = [...causes, ...findings].filter(({ node }) => nodes.includes(node));
  const cited = own.length > 0 ? own : causes.length > 0 ? causes : findings;
  return [...new Set(cited.flatMap(({ evidence }) => evidence))].sort((a, b) => a - b).slice(0, SHOWN);
}

/** The lines of the log that a diagnosis rests on. @param explains with what it says */
function showLog(turn: Turn, explains: boolean): Plan {
  const wanted = runFor(turn);
  if ('plan' in wanted) return wanted.plan;
  const { found } = wanted;
  const { run_id } = found.run;
  const { facts, question } = turn;
  if (!facts.log) {
    const evidence = evidenceFor(question, found);
    if (evidence.length > 0) return calls(...evidence.map((sequence) => call('read_log', { run_id, after: sequence - 1, limit: 1 })));
    const [node] = nodesIn(question.text, found.shape);
    return calls(call('read_log', { run_id, ...(node && { text: node.id }), limit: 20 }));
  }
  const lines = logText(run_id, facts.log);
  return say(explains ? `${explainText(question, found)}\n${lines}` : lines);
}

/** Since when something is wrong, as far as earlier diagnoses can tell. */
function since(turn: Turn): Plan {
  const wanted = runFor(turn);
  if ('plan' in wanted) return wanted.plan;
  const { found } = wanted;
  const { run, shape } = found;
  const { facts, question } = turn;
  const node = nodesIn(question.text, shape)[0]?.id ?? run.report?.root_causes[0]?.node ?? run.report?.findings[0]?.node;
  if (node === undefined) return say(`Nothing was found to be wrong, so there is nothing that began.\n${runLine(run)}`);
  const rows = facts.rows.get(rowsKey(run.topology_id, BACK));
  if (!rows) return calls(call('list_runs', { topology_id: run.topology_id, status: 'completed', limit: BACK }));
  const earlier = rows.filter(({ run_id, created_at }) => run_id !== run.run_id && created_at < run.created_at).slice(0, READ_BACK);
  const missing = earlier.filter(({ run_id }) => !facts.runs.has(run_id));
  if (missing.length > 0) return calls(...missing.map(({ run_id }) => call('get_run', { run_id })));
  const read = earlier.flatMap(({ run_id }): Run | Run[] => facts.runs.get(run_id) ?? []);
  return say(sinceText(found, node, earlier.length < READ_BACK, read));
}
