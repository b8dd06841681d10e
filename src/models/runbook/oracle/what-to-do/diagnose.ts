import { MOST_STARTS } from '../../../../domain/chat/started-diagnoses.js';
import { mentions, nodesIn } from '../../../../domain/topology/names-in-text.js';
import { escapePattern } from '../../../../lib/text.js';
import { textOf, type JsonObject } from '../../../../lib/json.js';
import { list, type ToolAnswer } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import { allAtOnce, call, LookUp, NoAnswerError, type Run } from '../facts.js';
import { errorOf } from '../measured/measured-node.js';
import { hasWholeName, namedBy } from '../subject/named.js';
import { unknownWords } from '../reading/question.js';
import { nodesLines } from '../replies/nodes.js';
import { topologiesText } from '../replies/lists.js';
import { reportText } from '../replies/report.js';
import { needTopology, topologiesNamed } from '../subject/subject.js';

/** Maximum of waits for a running diagnosis. */
const PATIENCE = 3;

/**
 * Starts a diagnosis of each topology that the question names, as many as one message may
 * start, and waits for their reports, for a limited time. Says which topologies are left.
 */
export function diagnose(asked: AnswerInput): string {
  const given = [...new Set(asked.question.topologyIds)];
  const named = listed(asked);
  // If a person gives numbers, no other topology may be diagnosed.
  const ids = given.length > 0 ? given : named.length > 0 ? named : [onlyMeant(asked)];
  const meant = ids.slice(0, MOST_STARTS);
  const texts = allAtOnce(meant.map((id) => () => diagnosisOf(asked, id)));
  const left = [...new Set([...ids, ...named])].filter((id) => !meant.includes(id));
  const rest = list(left.map((id) => `"diagnose topology ${id}"`));
  const limit =
    ids.length > MOST_STARTS ? `I diagnose at most ${MOST_STARTS} topologies for a message. ` : '';
  return [...texts, ...(left.length > 0 ? [`${limit}For the rest, say ${rest}.`] : [])].join('\n');
}

const EVERYTHING =
  /\b(?:everything|all of (?:it|them)|all(?: the| my| our)? (?:topologies|systems|services))\b/;

/**
 * Returns the topology that a question is about which names none, or only a node.
 * @throws NoAnswerError if it is not clear, or if the question means all of several
 */
function onlyMeant(asked: AnswerInput): number {
  const { question, brief, facts } = asked;
  if (EVERYTHING.test(question.asks) && brief.topology === null) {
    const all = facts.topologies();
    if (all.length > 1 && topologiesNamed(asked).length === 0)
      throw new NoAnswerError(
        `I diagnose the topologies that you name, at most ${MOST_STARTS} for a message. Say "diagnose topology N". ${topologiesText(all)}`,
      );
  }
  return needTopology(asked, 'Which topology? Say "diagnose topology N".');
}

/**
 * Returns the topologies that the question names: by their whole names, or by a part of a name if
 * it stands alone in a list, and the question does not only tell more about one of them.
 */
function listed(asked: AnswerInput): number[] {
  const { text, rest } = asked.question;
  if (unknownWords(rest).length === 0) return [];
  const all = topologiesNamed(asked);
  return namedBy(asked)
    .filter(({ id }) => all.includes(id))
    .filter(
      (each) =>
        hasWholeName(each) ||
        (all.length > 1 && each.named.some((name) => isListed(text, name.toLowerCase()))),
    )
    .map(({ id }) => id);
}

const isListed = (text: string, name: string): boolean =>
  mentions(text, name) &&
  new RegExp(
    `(?:\\b(?:and|or|plus|of|both|as well as|diagnose|check|test|measure|investigate|troubleshoot)|[,&:])\\s+(?:(?:the|our|my|topology)\\s+)*${escapePattern(name)}\\s*(?:[,;&.!?]|\\b(?:and|plus|as well as|please|now|again|too)\\b|$)`,
    'u',
  ).test(text);

const IS_ABOUT = /^(?:start|follow)_diagnosis$/;

/** Diagnoses a topology. @throws LookUp to start the diagnosis, or to wait for it */
function diagnosisOf(asked: AnswerInput, id: number): string {
  const { brief, facts } = asked;
  const start = facts.answers.find(
    ({ tool, args }) => tool === 'start_diagnosis' && args['topology_id'] === id,
  );
  if (!start)
    throw new LookUp([call('start_diagnosis', { topology_id: id, problem: brief.userMessage })]);
  if (start.failed) return notStartedText(id, start);
  const run_id = textOf(start.output as JsonObject, 'run_id');
  const run = facts.known.get(run_id);
  if (run) return diagnosedText(asked, run);
  const looks = facts.answers.filter(
    (each) => IS_ABOUT.test(each.tool) && !each.failed && runOf(each) === run_id,
  );
  const { last_sequence = 0 } = (looks.at(-1)?.output ?? {}) as JsonObject;
  if (looks.length <= PATIENCE)
    throw new LookUp([call('follow_diagnosis', { run_id, after: last_sequence })]);
  return `The diagnosis is still going on: run ${run_id} of topology ${id}. Ask me for its result later.`;
}

function notStartedText(id: number, start: ToolAnswer): string {
  const { code } = (start.output ?? {}) as JsonObject;
  // The text of a refusal is for a model.
  return code === 'REFUSED'
    ? `To diagnose topology ${id}, say "diagnose topology ${id}".`
    : `I could not diagnose topology ${id}: ${errorOf(start)}`;
}

const runOf = ({ output }: ToolAnswer): string => textOf(output as JsonObject, 'run_id');

function diagnosedText(asked: AnswerInput, run: Run): string {
  const { brief, facts, question } = asked;
  const own = brief.topology?.id === run.topology_id ? brief.topology : undefined;
  const found = { run, shape: own ?? facts.shape(run.topology_id) };
  const named = run.report === null ? [] : nodesIn(question.names, found.shape);
  const unsaid = named.filter(({ id }) => !isReported(run, id));
  return [...nodesLines(found, unsaid), reportText(found)].join('\n');
}

/** Whether the text of a report says something of a node. */
const isReported = ({ report }: Run, node: string): boolean =>
  [...(report?.root_causes ?? []), ...(report?.findings ?? []), ...(report?.unchecked ?? [])].some(
    (each) => each.node === node,
  );
