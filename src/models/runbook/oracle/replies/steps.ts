import { isClaim, type NextStep } from '../../../../domain/diagnosis/finding.js';
import { stepText } from '../../../../domain/diagnosis/steps/step-text.js';
import { escapeMarkdown } from '../../../../lib/markdown.js';
import { list } from '../../plan.js';
import { needsOf } from '../../../../domain/topology/needs-of.js';
import { isAbout, type Topic } from '../details/topics.js';
import type { Run, Shape } from '../facts.js';
import { nodesLines } from './nodes.js';
import { isFault, runLine, sentence, type DiagnosedRun } from './report.js';
import type { MarkdownText } from './markdown-text.js';
import { verdictText } from './verdict.js';

type Node = Shape['nodes'][number];

/**
 * Lists the next steps of a report, their commands as code. Of nodes: their own, and those of the
 * root causes that a node which is none itself depends on. About a topic: those that name it or
 * answer a finding that does; all, if there is none.
 */
export function stepsText(
  diagnosed: DiagnosedRun,
  nodes: readonly Node[] = [],
  topic?: Topic,
): MarkdownText {
  const { run } = diagnosed;
  const all = run.report?.next_steps ?? [];
  const meant = new Set(nodes.flatMap(({ id }) => [id, ...causesOf(diagnosed, id)]));
  const ofNodes =
    nodes.length === 0
      ? all
      : all.filter(({ node, nodes: several = [] }) =>
          [...several, ...(node === undefined ? [] : [node])].some((id) => meant.has(id)),
        );
  const about = topic ? stepsAbout(topic, ofNodes, run) : [];
  const steps = about.length > 0 ? about : ofNodes;
  const heads =
    nodes.length === 0 || run.report === null
      ? [verdictText(diagnosed)]
      : nodesLines(diagnosed, nodes);
  const verdict = heads.map(escapeMarkdown).join('\n');
  const of = escapeMarkdown(runLine(run));
  const whose = nodes.length === 0 ? '' : ` for ${list(nodes.map(({ name }) => name))}`;
  if (topic && about.length === 0 && !isFoundWrong(topic, run, meant))
    return {
      markdown: `Nothing was found to be wrong about ${topic.name}${escapeMarkdown(whose)}, so no step is about that.\n${verdict}\n${of}`,
    };
  if (steps.length === 0)
    return {
      markdown: `The report of this run suggests no next steps${escapeMarkdown(whose)}.\n${verdict}\n${of}`,
    };
  const lines = steps.map(
    (step, i) => `${i + 1}. ${stepText({ ...step, text: sentence(step.text) })}`,
  );
  const note = topic ? [noteText(topic, about.length, ofNodes.length), ''] : [];
  return { markdown: [verdict, '', ...note, ...lines, '', of].join('\n') };
}

/** Returns the steps that name a topic, or else those for the findings that do. */
function stepsAbout({ shows }: Topic, steps: readonly NextStep[], { report }: Run): NextStep[] {
  const naming = steps.filter(({ text, command = '' }) => shows.test(text) || shows.test(command));
  if (naming.length > 0) return naming;
  const found = [...(report?.root_causes ?? []), ...(report?.findings ?? [])];
  const cited = found.filter(({ title }) => shows.test(title)).flatMap(({ evidence }) => evidence);
  return steps.filter(({ evidence = [] }) => evidence.some((each) => cited.includes(each)));
}

/**
 * Whether a diagnosis measured faults about a topic: at some nodes, or at all if there are none.
 */
export const isFoundWrong = (
  topic: Topic,
  { report }: Run,
  nodes: ReadonlySet<string> = new Set(),
): boolean =>
  [
    ...(report?.root_causes ?? []),
    ...(report?.findings ?? []).filter((each) => isFault(each) && !isClaim(each)),
  ].some((each) => (nodes.size === 0 || nodes.has(each.node)) && isAbout(topic, each));

function noteText({ name }: Topic, about: number, all: number): string {
  if (about === 0) return `No step is about ${name} alone. The steps:`;
  if (about === all) return `The steps about ${name}:`;
  return `The steps about ${name}, ${about} of ${all}:`;
}

/** Returns the root causes that a node depends on, if it is none itself. */
function causesOf({ run, shape }: DiagnosedRun, id: string): string[] {
  const causes = run.report?.root_causes.map(({ node }) => node) ?? [];
  const needs = shape ? needsOf(shape.nodes, id) : [];
  return causes.includes(id) ? [] : causes.filter((cause) => needs.includes(cause));
}
