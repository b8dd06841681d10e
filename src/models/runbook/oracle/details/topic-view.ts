import { findingsOf, measuredBy } from '../../../../domain/diagnosis/findings-of.js';
import {
  isClaim,
  isFailure,
  originNote,
  type Finding,
} from '../../../../domain/diagnosis/finding.js';
import { uncheckedText, withName, withoutName } from '../../../../domain/diagnosis/wording.js';
import { needsOf } from '../../../../domain/topology/needs-of.js';
import { textOf, type JsonObject } from '../../../../lib/json.js';
import type { AnswerInput } from '../answer-input.js';
import type { ToolAnswer } from '../../plan.js';
import type { Shape } from '../facts.js';
import type { Question } from '../reading/question.js';
import { lookAt } from '../measured/look-at.js';
import { errorOf, judged } from '../measured/measured-node.js';
import { eventsText, nameOf, sentence, type DiagnosedRun } from '../replies/report.js';
import { isAbout, isMeasuredOf, isReasonOf, type Topic } from './topics.js';

/** What a diagnosis, or measurements of now, say about a topic at some nodes. */
export interface TopicView {
  /** What is wrong, each with the name of its node. */
  faults: string[];
  /** What is wrong has no effect yet: a certificate that ends soon. */
  isMild: boolean;
  /**
   * What else is wrong at the nodes of the question or is only claimed, and the root causes that
   * these depend on.
   */
  others: string[];
  /** What is wrong about the topic at the nodes that those of the question depend on. */
  below: string[];
  /** The nodes at which something is wrong about the topic. */
  unhealthy: ReadonlySet<string>;
  /** The measurements about the topic, with the texts of what is wrong that they repeat. */
  measured: { node: string; text: string; isWanted: boolean; repeats: string[] }[];
  /**
   * Why nodes of the question could not be measured, where that is about the topic and no more is
   * known of it.
   */
  blind: string[];
  /** The nodes of the question. */
  nodes: Shape['nodes'];
}

/** Whether there is a fault about the topic at each node in question; undefined: not measured. */
export const faultyParts = ({ nodes, unhealthy, measured }: TopicView): (boolean | undefined)[] =>
  nodes.map(({ id }) => {
    const own = measured.filter(({ node }) => node === id);
    if (unhealthy.has(id) || own.some(({ isWanted }) => isWanted)) return true;
    return own.length > 0 ? false : undefined;
  });

/**
 * Returns what a diagnosis says about a topic: at some nodes, or at all.
 * @param readsLog also reads what it does not cite
 */
export function viewOfRun(
  { facts }: AnswerInput,
  found: DiagnosedRun,
  topic: Topic,
  { named = [], readsLog = true }: { named?: Shape['nodes']; readsLog?: boolean } = {},
): TopicView {
  const { run, shape } = found;
  const nodes = named.length > 0 ? named : (shape?.nodes ?? []);
  const ids = new Set(nodes.map(({ id }) => id));
  const isMeant = ({ node }: { node: string }) => named.length === 0 || ids.has(node);
  const { root_causes = [], findings = [], citations = [] } = run.report ?? {};
  const changes =
    topic.kinds?.includes('regression') === true
      ? root_causes.flatMap(({ node, change, evidence }) =>
          change === undefined ? [] : [{ node, title: `changed: ${change}`, evidence }],
        )
      : [];
  const isWanted = ({ severity }: Finding) => severity !== 'info' || topic.countsInfo === true;
  const wrong = [
    ...root_causes.filter((each) => isMeant(each) && isAbout(topic, each)),
    ...findings.filter(
      (each) => isWanted(each) && !isClaim(each) && isMeant(each) && isAbout(topic, each),
    ),
    ...changes.filter(isMeant),
  ];
  const unhealthy = new Set(wrong.map(({ node }) => node));
  const needed = neededBy(nodes, shape?.nodes ?? []);
  const mild = new Set<object>(findings.filter((each) => !isFailure(each)));
  const measured =
    readsLog && nodes.length > 0
      ? facts.measured(
          run.run_id,
          nodes.map(({ id }) => id),
        )
      : citations.filter(isMeant);
  return {
    faults: textsOf(found, wrong),
    isMild: wrong.every((each) => mild.has(each)),
    others: othersOf(found, topic, nodes),
    below: textsOf(
      found,
      findings.filter(
        (each) =>
          each.severity !== 'info' &&
          !isClaim(each) &&
          needed.has(each.node) &&
          isAbout(topic, each),
      ),
    ),
    unhealthy,
    measured: measured
      .filter((each) => isMeasuredOf(topic, each))
      .map(({ sequence, node, tool, summary }) => ({
        node,
        text: `${sequence}: ${withName(nameOf(found, node), `${tool}: ${summary}`)}`,
        isWanted: topic.isWanted?.test(`${tool}: ${summary}`) === true,
        repeats: repeatedIn(
          found,
          summary,
          wrong.filter((each) => each.node === node),
        ),
      })),
    blind: (run.report?.unchecked ?? [])
      .filter((each) => isMeant(each) && !unhealthy.has(each.node))
      .filter((each) => isReasonOf(topic, uncheckedText(each)))
      .map((each) => sentence(withName(nameOf(found, each.node), uncheckedText(each)))),
    nodes,
  };
}

export const asksWhy = ({ asks }: Pick<Question, 'asks'>): boolean => /\bwhy\b/.test(asks);

/** The ids of the nodes that some nodes depend on, without these. */
function neededBy(
  nodes: readonly { id: string }[],
  all: Parameters<typeof needsOf>[0],
): ReadonlySet<string> {
  const needed = new Set(nodes.flatMap(({ id }) => needsOf(all, id)));
  for (const { id } of nodes) needed.delete(id);
  return needed;
}

type TopicFinding = Pick<Finding, 'node' | 'title' | 'evidence' | 'origin'>;

const textsOf = (found: DiagnosedRun, wrong: readonly TopicFinding[]): string[] => [
  ...new Set(wrong.map((each) => wrongText(found, each))),
];

function wrongText(found: DiagnosedRun, { node, title, evidence, ...claim }: TopicFinding): string {
  const name = nameOf(found, node);
  return withName(
    name,
    `${withoutName(name, title)}${originNote(claim)} (${eventsText(evidence)})`,
  );
}

/** Returns the texts of what is wrong that a summary of a measurement says as well. */
const repeatedIn = (
  found: DiagnosedRun,
  summary: string,
  wrong: readonly TopicFinding[],
): string[] =>
  textsOf(
    found,
    wrong.filter(({ node, title }) => summary.includes(withoutName(nameOf(found, node), title))),
  );

/**
 * Returns what is wrong at some nodes apart from a topic: one text for each node, that of its root
 * cause if it is one.
 */
function othersOf(found: DiagnosedRun, topic: Topic, nodes: Shape['nodes']): string[] {
  const { root_causes = [], findings = [] } = found.run.report ?? {};
  const ids = new Set(nodes.map(({ id }) => id));
  const needs = new Set(nodes.flatMap(({ id }) => needsOf(found.shape?.nodes ?? [], id)));
  const wrong: TopicFinding[] = [
    ...root_causes
      .filter((each) => (ids.has(each.node) || needs.has(each.node)) && !isAbout(topic, each))
      .map(({ node, title, evidence }) => ({
        node,
        evidence,
        title: `${withoutName(nameOf(found, node), title)}, a root cause`,
      })),
    ...findings.filter(
      (each) =>
        each.severity !== 'info' && ids.has(each.node) && (isClaim(each) || !isAbout(topic, each)),
    ),
  ];
  const first = new Map(wrong.toReversed().map((each) => [each.node, each]));
  return textsOf(
    found,
    wrong.filter((each) => first.get(each.node) === each),
  );
}

/** Measures a node of the chat's own topology now: how it is, whatever the topic. */
export function stateNow(asked: AnswerInput, id: string): 'wrong' | 'ok' | 'unknown' {
  const nodes = asked.brief.topology?.nodes.filter((node) => node.id === id) ?? [];
  const [node] = nodes.map((each) => judged(each, lookAt(asked, nodes)));
  return node === undefined || node.state === 'warned' ? 'ok' : node.state;
}

/** Measures nodes of the chat's own topology now, and returns what that says about a topic. */
export function viewOfNow(asked: AnswerInput, topic: Topic, named: ReadonlySet<string>): TopicView {
  const own = asked.brief.topology?.nodes ?? [];
  const nodes = named.size === 0 ? own : own.filter(({ id }) => named.has(id));
  const all = lookAt(asked, nodes);
  const looked = all.filter(({ failed }) => !failed);
  const wrong = faultsNow(topic, nodes, looked);
  const needed = neededBy(nodes, own);
  // What they depend on may be the reason.
  const below = asksWhy(asked.question) ? own.filter(({ id }) => needed.has(id)) : [];
  const meant = wrong.filter(({ isMeant }) => isMeant);
  const others = wrong.filter(({ isMeant }) => !isMeant);
  return {
    faults: meant.map(({ text }) => text),
    isMild: meant.every(({ isMild }) => isMild),
    others: others.map(({ text }) => text),
    below: faultsNow(topic, below, lookAt(asked, below)).flatMap(({ isMeant, text }) =>
      isMeant ? [text] : [],
    ),
    unhealthy: new Set(meant.map(({ id }) => id)),
    measured: looked
      .map(({ tool, args, output }) => ({
        tool,
        node: textOf(args, 'node'),
        summary: textOf(output as JsonObject, 'summary'),
      }))
      .filter((each) => isMeasuredOf(topic, each))
      .map(({ tool, node, summary }) => ({
        node,
        text: withName(nameOf({ shape: asked.brief.topology ?? undefined }, node), summary),
        isWanted: topic.isWanted?.test(`${tool}: ${summary}`) === true,
        repeats: meant
          .filter(({ id, title }) => id === node && summary.includes(title))
          .map(({ text }) => text),
      })),
    blind: all
      .filter((each) => each.failed && isReasonOf(topic, errorOf(each)))
      .map((each) => {
        const shape = asked.brief.topology ?? undefined;
        return sentence(withName(nameOf({ shape }, textOf(each.args, 'node')), errorOf(each)));
      }),
    nodes,
  };
}

/** What measurements show to be wrong at some nodes, and whether it is about a topic. */
const faultsNow = (
  topic: Topic,
  nodes: readonly { id: string; name: string }[],
  looked: readonly ToolAnswer[],
) =>
  nodes.flatMap((node) => {
    const its = looked.filter(({ args, failed }) => !failed && args['node'] === node.id);
    return findingsOf(
      node.id,
      its.map(({ id, tool, output }) => measuredBy(tool, id, output)),
    )
      .filter(({ severity }) => severity !== 'info')
      .map((each) => ({
        id: node.id,
        title: each.title,
        isMild: !isFailure(each),
        text: withName(node.name, each.title),
        isMeant: isAbout(topic, each),
      }));
  });
