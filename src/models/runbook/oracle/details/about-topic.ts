import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { withName, withoutName } from '../../../../domain/diagnosis/wording.js';
import { list } from '../../plan.js';
import type { Asked } from '../asked.js';
import type { Shape } from '../facts.js';
import { latestOfEach } from '../latest.js';
import { everywhere } from '../others.js';
import {
  measuredLines,
  nameOf,
  nodeText,
  reportText,
  runLine,
  thenLine,
  type Diagnosed,
} from '../replies/report.js';
import { diagnosed, findRun, isSaid } from '../subject.js';
import { topicIn, type Topic } from './topics.js';

/**
 * Returns what was measured or found about the topic of a question: at the nodes that it names, in the diagnosis in question, or in the
 * latest one of every topology. If there is nothing, says so, and returns what was found instead.
 */
export function aboutTopic(given: Asked): string {
  const { question } = given;
  const topic = topicIn(question.asks) as Topic;
  // "Is it DNS?" names no node.
  const asked = {
    ...given,
    question: { ...question, rest: question.rest.replace(topic.asks, ' ') },
  };
  if (!isSaid(asked)) return inAll(asked, topic);
  const found = findRun(asked);
  const nodes = nodesIn(asked.question.names, found.shape);
  return [
    ...(nodes.length > 0 ? ofNodes(found, nodes, topic) : inRun(found, topic)),
    thenLine(found.run),
  ].join('\n');
}

function ofNodes(found: Diagnosed, nodes: Shape['nodes'], topic: Topic): string[] {
  const all = found.run.measurements ?? [];
  const about = all.filter(({ tool, summary }) => topic.shows.test(`${tool}: ${summary}`));
  const names = list(nodes.map(({ name }) => name));
  const run = { ...found.run, measurements: about.length > 0 ? about : all };
  return [
    ...(about.length > 0 ? [] : [`Nothing about ${topic.name} was measured at ${names}.`]),
    ...nodes.map((node) => nodeText(found, node)),
    ...measuredLines({ ...found, run }, nodes),
    runLine(found.run),
  ];
}

function inRun(found: Diagnosed, topic: Topic): string[] {
  const cited = (found.run.report?.citations ?? [])
    .filter(({ tool, summary }) => topic.shows.test(`${tool}: ${summary}`))
    .map(({ sequence, node, tool, summary }) => {
      const name = nameOf(found, node);
      return `- ${sequence}: ${withName(name, `${tool}: ${summary}`)}`;
    });
  const lines = [...trouble(found, topic), ...cited];
  return lines.length > 0
    ? [`Found about ${topic.name}:`, ...lines, runLine(found.run)]
    : [`It found nothing about ${topic.name}, which does not rule that out.`, reportText(found)];
}

function inAll(asked: Asked, topic: Topic): string {
  const runs = latestOfEach(asked.facts).flatMap(({ run }) => run?.run_id ?? []);
  const lines = runs.flatMap((id) => {
    const found = diagnosed(asked, id);
    return trouble(found, topic).map((line) => `${line}. ${runLine(found.run)}`);
  });
  return lines.length > 0
    ? [`The latest diagnoses found this about ${topic.name}:`, ...lines].join('\n')
    : `The latest diagnoses found nothing about ${topic.name}, which does not rule that out.\n${everywhere(asked)}`;
}

/** Lists the root causes and the findings about a topic, each in an item. */
function trouble(found: Diagnosed, { shows }: Topic): string[] {
  const { root_causes = [], findings = [] } = found.run.report ?? {};
  const changes = root_causes.flatMap(({ node, change }) =>
    change === undefined ? [] : [{ node, title: `changed: ${change}` }],
  );
  const lines = [...root_causes, ...findings, ...changes]
    .filter(({ title }) => shows.test(title))
    .map(({ node, title }) => {
      const name = nameOf(found, node);
      return `- ${withName(name, withoutName(name, title))}`;
    });
  return [...new Set(lines)];
}
