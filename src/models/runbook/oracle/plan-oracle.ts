import { textOf, type JsonObject } from '../../../lib/json.js';
import { findingsOf, measuredBy } from '../../../domain/diagnosis/findings-of.js';
import type { ToolResult } from '../../../domain/diagnosis/tool-result.js';
import { list, type Answer, type Plan } from '../plan.js';
import { factsOf, rowsKey, type Run } from './facts.js';
import {
  call,
  calls,
  LISTED,
  of,
  runFor,
  say,
  shapeFor,
  systemFor,
  systemNeeded,
  type Found,
  type OracleBrief,
  type Asked,
} from './find-subject.js';
import { subjectIn } from './names.js';
import { mentions, readQuestion, type Question, type Said } from './question.js';
import { spokenOf } from './spoken-of.js';
import {
  checkedText,
  CONFUSED,
  durationText,
  FOREIGN,
  HELP,
  isWell,
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
} from './replies.js';

/** Earlier diagnoses that are looked back at, and how many of them are read at once. */
const [BACK, READ_BACK] = [20, 10];
/** Pieces of evidence that are shown. */
const SHOWN = 8;
/** How often the runbook waits on for a diagnosis. */
const PATIENCE = 3;
/** Measurements of one question: as many calls as a turn may have. */
const MOST_LOOKS = 20;

/**
 * The oracle's turn: what the question asks for by its words is looked up, and told. It looks up what it lacks, call by call,
 * until it can say something.
 * @param said what was said before in the conversation, oldest first
 */
export function planOracle(
  brief: OracleBrief,
  said: readonly Said[],
  answers: readonly Answer[],
  tools: ReadonlySet<string>,
): Plan {
  const question = readQuestion(brief.userMessage);
  const failed = answers.find((answer) => answer.failed && !isMeasuring(brief, answer.tool));
  if (failed) return say(`I could not find that out: ${errorOf(failed)}`);
  const plan = planWish({
    brief,
    question,
    before: spokenOf(said),
    answers,
    facts: factsOf(answers),
  });
  const missing = plan.calls.find(({ tool }) => !tools.has(tool));
  if (missing)
    return say(
      `I may not look that up: ${missing.tool} is not among the \`sources\` of this question.`,
    );
  const names = [...new Set(plan.calls.map(({ tool }) => tool))];
  return brief.thinking && names.length > 0
    ? { ...plan, reasoning: `I need ${list(names)}.` }
    : plan;
}

const isMeasuring = ({ topology }: OracleBrief, tool: string): boolean =>
  topology?.nodes.some(({ firstLook }) => firstLook.some((look) => look.tool === tool)) === true;

/** What a failed call came back with. */
function errorOf({ tool, output }: Answer): string {
  const text =
    textOf((output ?? undefined) as JsonObject | undefined, 'error') ||
    (typeof output === 'string' ? output : '');
  return text === '' ? `${tool} did not work.` : text;
}

function planWish(asked: Asked): Plan {
  const { question, answers, facts } = asked;
  switch (question.wish) {
    case 'open-page':
      return answers.length > 0
        ? say(`Opening ${question.page}.`)
        : calls(call('navigate_to_page', { page: question.page ?? '' }));
    case 'help':
      return say(HELP);
    case 'foreign':
      return say(FOREIGN);
    case 'topologies':
      return facts.topologies
        ? say(topologiesText(facts.topologies))
        : calls(call('list_topologies', {}));
    case 'diagnose':
      return diagnose(asked);
    case 'runs':
      return listRuns(asked, LISTED, question.isOfDay ? 'I have no calendar: see the times.' : '');
    case 'compare':
      return listRuns(
        { ...asked, question: { ...question, status: 'completed' } },
        2,
        'I do not compare diagnoses; these are the last two.',
      );
    case 'last-run':
      return listRuns(asked, 1, '');
    case 'fix':
      return told(
        runFor(asked),
        (found) =>
          `I find causes; how to mend them I do not know.\n${explainText(question, found)}`,
      );
    case 'shape':
      return told(shapeFor(asked), (shape) => shapeText(question.text, shape));
    case 'measure':
      return measure(asked);
    case 'unclear':
      return isAbout(asked) ? explain(asked) : say(CONFUSED);
    case 'since':
      return since(asked);
    case 'duration':
      return told(runFor(asked), durationText);
    case 'checked':
      return told(runFor(asked), checkedText);
    case 'log':
      return showLog(asked, false);
    case 'why':
      return showLog(asked, true);
    case 'explain':
      return explain(asked);
  }
}

const told = <T>(wanted: Found<T>, words: (found: T) => string): Plan =>
  'plan' in wanted ? wanted.plan : say(words(wanted.found));

/** Whether a question that says nothing else may be about what the conversation is about. */
const isAbout = ({ question, before, brief }: Asked): boolean =>
  before.runId !== undefined || nodesIn(question.text, brief.topology ?? undefined).length > 0;

function diagnose(asked: Asked): Plan {
  const { brief, answers } = asked;
  const last = answers.findLast(
    ({ tool }) => tool === 'start_diagnosis' || tool === 'follow_diagnosis',
  );
  if (last) return follow(asked, last.output as JsonObject);
  const system = systemNeeded(asked);
  return 'plan' in system
    ? system.plan
    : calls(call('start_diagnosis', { topology_id: system.found, problem: brief.userMessage }));
}

function follow({ answers, facts, brief }: Asked, output: JsonObject): Plan {
  const run = facts.runs.get(textOf(output, 'run_id'));
  if (run) {
    const shape = brief.topology ?? facts.shapes.get(run.topology_id);
    return shape
      ? say(reportText({ run, shape }))
      : calls(call('get_topology', { topology_id: run.topology_id }));
  }
  const { run_id = '', last_sequence = 0 } = output;
  const followed = answers.filter(({ tool }) => tool === 'follow_diagnosis').length;
  if (followed < PATIENCE) return calls(call('follow_diagnosis', { run_id, after: last_sequence }));
  const started = Number(
    answers.find(({ tool }) => tool === 'start_diagnosis')?.args['topology_id'],
  );
  const runName = `run ${textOf(output, 'run_id')} of topology ${started}`;
  return say(`The diagnosis is still going on: ${runName}. Ask me for its result later.`);
}

/** The latest diagnoses of the topology that is asked of, else of all. @param note what is said first */
function listRuns(asked: Asked, limit: number, note: string): Plan {
  const system = asked.question.wish === 'compare' ? systemNeeded(asked) : systemFor(asked);
  if ('plan' in system) return system.plan;
  const { status } = asked.question;
  const rows = asked.facts.rows.get(rowsKey(system.found, limit, status));
  if (!rows)
    return calls(
      call('list_runs', { ...of(system.found), ...(status !== undefined && { status }), limit }),
    );
  return say([...(note === '' ? [] : [note]), rowsText(rows, system.found, status)].join('\n'));
}

/** Nodes of the chat's own topology can be looked at now; of others it is told what was found last. */
function measure(asked: Asked): Plan {
  const { brief, question, answers } = asked;
  const all = brief.topology?.nodes ?? [];
  const named = nodesIn(question.text, brief.topology ?? undefined);
  const meant = all.filter(({ id }) => named.some((node) => node.id === id));
  const nodes = meant.length === 0 && question.isForAll ? all : meant;
  if (nodes.length === 0) return explain(asked);
  if (answers.length > 0) return say(measuredText(asked));
  return calls(...nodes.flatMap(({ firstLook }) => firstLook).slice(0, MOST_LOOKS));
}

/** What diagnostic tools have measured, by node. */
function measuredText({ brief, answers }: Asked): string {
  const lines = answers.map((answer) => {
    const { id, tool, args, output, failed } = answer;
    const node = textOf(args, 'node');
    const name = nameOf({ shape: brief.topology ?? undefined }, node);
    if (failed) return `- ${name}: ${tool} did not answer: ${errorOf(answer)}`;
    const result = output as unknown as ToolResult;
    const news = findingsOf(node, [measuredBy(tool, id, output)]).filter(
      ({ title }) => !result.summary.includes(title),
    );
    return `- ${name}: ${result.summary}${news.length > 0 ? ` (${list(news.map(({ title }) => title))})` : ''}`;
  });
  return `Measured just now:\n${lines.join('\n')}`;
}

const explain = (asked: Asked): Plan =>
  told(runFor(asked), (found) => explainText(asked.question, found));

/** Of the nodes that a question names what was found of them, else of all. */
function explainText({ text, wish, isForAll, topologyId }: Question, found: Told): string {
  const { run, shape } = found;
  const nodes = nodesIn(text, shape);
  const now =
    wish === 'measure'
      ? [`That was then; for what is now, ask me to "diagnose topology ${run.topology_id}".`]
      : [];
  if (nodes.length > 0 && run.report)
    return [...nodes.map((node) => nodeText(found, node)), runLine(run), ...now].join('\n');
  const subject = subjectIn(text);
  const isSubject = subject !== undefined && mentions(run.topology_name.toLowerCase(), subject);
  const isNamed =
    topologyId !== undefined || mentions(text, run.topology_name) || text.includes(run.run_id);
  if ((wish === 'unclear' || wish === 'measure') && !isForAll && !isNamed && !isSubject)
    return CONFUSED;
  const isKnown = subject === undefined || !shape || isSubject;
  return [
    ...(isKnown ? [] : [`I know no node called "${subject}" in what was diagnosed last.`]),
    reportText(found),
    ...now,
  ].join('\n');
}

/** What is wrong: of the nodes that the question names, else the causes, else all that was found. */
function evidenceFor({ text }: Question, { run, shape }: Told): number[] {
  const { root_causes: causes = [], findings = [] } = run.report ?? {};
  const nodes = nodesIn(text, shape).map(({ id }) => id);
  const own = [...causes, ...findings].filter(({ node }) => nodes.includes(node));
  const cited = own.length > 0 ? own : causes.length > 0 ? causes : findings;
  return [...new Set(cited.flatMap(({ evidence }) => evidence))]
    .sort((a, b) => a - b)
    .slice(0, SHOWN);
}

/** The lines of the log that a diagnosis rests on. @param explains with what it says */
function showLog(asked: Asked, explains: boolean): Plan {
  const wanted = runFor(asked);
  if ('plan' in wanted) return wanted.plan;
  const { found } = wanted;
  const { run_id } = found.run;
  const { facts, question } = asked;
  if (!facts.log) {
    const evidence = evidenceFor(question, found);
    if (evidence.length > 0)
      return calls(
        ...evidence.map((sequence) => call('read_log', { run_id, after: sequence - 1, limit: 1 })),
      );
    const [node] = nodesIn(question.text, found.shape);
    return calls(call('read_log', { run_id, ...(node && { text: node.id }), limit: 20 }));
  }
  const lines = logText(run_id, facts.log);
  return say(explains ? `${explainText(question, found)}\n${lines}` : lines);
}

/** Since when something is wrong, as far as earlier diagnoses can tell. */
function since(asked: Asked): Plan {
  const wanted = runFor(asked);
  if ('plan' in wanted) return wanted.plan;
  const { found } = wanted;
  const { run, shape } = found;
  const { facts, question } = asked;
  const node =
    nodesIn(question.text, shape)[0]?.id ??
    run.report?.root_causes[0]?.node ??
    run.report?.findings[0]?.node;
  if (node === undefined)
    return say(`Nothing was found to be wrong, so there is nothing that began.\n${runLine(run)}`);
  const rows = facts.rows.get(rowsKey(run.topology_id, BACK, 'completed'));
  if (!rows)
    return calls(
      call('list_runs', { topology_id: run.topology_id, status: 'completed', limit: BACK }),
    );
  const earlier = rows.filter(
    ({ run_id, created_at }) => run_id !== run.run_id && created_at < run.created_at,
  );
  const read = earlier.flatMap(({ run_id }): Run | Run[] => facts.runs.get(run_id) ?? []);
  const missing = earlier.filter(({ run_id }) => !facts.runs.has(run_id)).slice(0, READ_BACK);
  if (missing.length === 0 || read.some((each) => isWell(each, node)))
    return say(sinceText(found, node, rows.length < BACK, read));
  return calls(...missing.map(({ run_id }) => call('get_run', { run_id })));
}
