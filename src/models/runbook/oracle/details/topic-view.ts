import { findingsOf, measuredBy } from '../../../../domain/diagnosis/findings-of.js';
import { withName, withoutName } from '../../../../domain/diagnosis/wording.js';
import { textOf, type JsonObject } from '../../../../lib/json.js';
import type { Asked } from '../asked.js';
import type { Shape } from '../facts.js';
import { lookAt } from '../measured/look-at.js';
import { eventsText, nameOf, type Diagnosed } from '../replies/report.js';
import { isAbout, isMeasuredOf, type Topic } from './topics.js';

/** What a diagnosis, or measurements of now, say about a topic at some nodes. */
export interface TopicView {
  /** What is wrong, each with the name of its node. */
  trouble: string[];
  /** The nodes at which something is wrong. */
  unwell: ReadonlySet<string>;
  /** The measurements about the topic. */
  measured: { node: string; text: string; isWanted: boolean }[];
  /** The nodes of the question. */
  nodes: Shape['nodes'];
}

/** Returns what a diagnosis says about a topic: at some nodes, or at all. @param readsLog also reads what it does not cite */
export function viewOfRun(
  { facts }: Asked,
  found: Diagnosed,
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
  const wrong = [
    ...root_causes.filter((each) => isMeant(each) && isAbout(topic, each)),
    ...findings.filter((each) => each.severity !== 'info' && isMeant(each) && isAbout(topic, each)),
    ...changes.filter(isMeant),
  ];
  const measured =
    readsLog && nodes.length > 0
      ? facts.measured(
          run.run_id,
          nodes.map(({ id }) => id),
        )
      : citations.filter(isMeant);
  const textsOf = wrong.map(({ node, title, evidence }) => {
    const name = nameOf(found, node);
    return withName(name, `${withoutName(name, title)} (${eventsText(evidence)})`);
  });
  return {
    trouble: [...new Set(textsOf)],
    unwell: new Set(wrong.map(({ node }) => node)),
    measured: measured
      .filter((each) => isMeasuredOf(topic, each))
      .map(({ sequence, node, tool, summary }) => ({
        node,
        text: `${sequence}: ${withName(nameOf(found, node), `${tool}: ${summary}`)}`,
        isWanted: topic.isWanted?.test(`${tool}: ${summary}`) === true,
      })),
    nodes,
  };
}

/** Measures nodes of the chat's own topology now, and returns what that says about a topic. */
export function viewOfNow(asked: Asked, topic: Topic, named: ReadonlySet<string>): TopicView {
  const all = asked.brief.topology?.nodes ?? [];
  const nodes = named.size === 0 ? all : all.filter(({ id }) => named.has(id));
  const looked = lookAt(asked, nodes).filter(({ failed }) => !failed);
  const wrong = nodes.flatMap((node) => {
    const own = looked.filter(({ args }) => args['node'] === node.id);
    return findingsOf(
      node.id,
      own.map(({ id, tool, output }) => measuredBy(tool, id, output)),
    )
      .filter((each) => each.severity !== 'info' && isAbout(topic, each))
      .map(({ title }) => ({ id: node.id, text: withName(node.name, title) }));
  });
  return {
    trouble: wrong.map(({ text }) => text),
    unwell: new Set(wrong.map(({ id }) => id)),
    measured: looked
      .map(({ tool, args, output }) => ({
        ...{ tool, node: textOf(args, 'node') },
        summary: textOf(output as JsonObject, 'summary'),
      }))
      .filter((each) => isMeasuredOf(topic, each))
      .map(({ tool, node, summary }) => ({
        node,
        text: withName(nameOf({ shape: asked.brief.topology ?? undefined }, node), summary),
        isWanted: topic.isWanted?.test(`${tool}: ${summary}`) === true,
      })),
    nodes,
  };
}
