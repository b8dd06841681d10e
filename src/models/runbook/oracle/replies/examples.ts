import type { Asked } from '../asked.js';
import type { Remark } from '../question.js';
import { topologiesText } from './lists.js';

/** How an answer names a root cause. */
const ROOT_CAUSE = /^(?:Root cause: ([^:\n]+):|([^:\n]+) is the root cause:)/m;

/** Returns the name of the node of which a conversation last reported a root cause. */
export function suspectIn(remarks: readonly Remark[]): string | undefined {
  const answers = remarks.filter(({ by }) => by === 'oracle').map(({ text }) => text);
  const last = answers.findLast((text) => ROOT_CAUSE.test(text));
  const [, listed, named] = ROOT_CAUSE.exec(last ?? '') ?? [];
  return listed ?? named;
}

/** Says that a question is not understood, with questions that are, about what the person has. Looks up nothing that is a source. */
export function notUnderstoodText({ brief, before, facts, question, suspect }: Asked): string {
  const known = brief.topology ? [brief.topology] : listed(facts, question.text);
  const topology = known.find(({ id }) => id === before.topologyId) ?? known[0];
  if (!topology) return `I do not understand that. ${topologiesText([])}`;
  const { id, name } = topology;
  const node = suspect ?? brief.topology?.nodes[0]?.name;
  const examples = [
    `what is wrong with ${node ?? name}?`,
    node === undefined ? `how do I fix topology ${id}?` : `how do I fix ${node}?`,
    node === undefined ? 'what is broken right now?' : `what depends on ${node}?`,
    `compare the last two runs of topology ${id}`,
    `diagnose topology ${id}`,
  ];
  return [
    'I do not understand that. I answer questions about topologies and their diagnoses, for example:',
    ...examples.map((example) => `- ${example}`),
    'Say "help" for all kinds of questions.',
  ].join('\n');
}

/** Returns all topologies, as they are looked up for the names in a text. */
function listed(facts: Asked['facts'], text: string): { id: number; name: string }[] {
  facts.naming(text);
  return facts.topologies();
}
