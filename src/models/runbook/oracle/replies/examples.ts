import type { AnswerInput } from '../answer-input.js';
import type { DiagnosisRow } from '../facts.js';
import type { Remark } from '../reading/question.js';
import { topologiesText } from './lists.js';

/** How an answer names a root cause. */
const ROOT_CAUSE = /^(?:Root cause: ([^:\n]+):|([^:\n]+) (?:is|may be) the root cause:)/m;

/** Returns the name of the node of which a conversation last reported a root cause. */
export function suspectIn(remarks: readonly Remark[]): string | undefined {
  const answers = remarks.filter(({ by }) => by === 'oracle').map(({ text }) => text);
  const last = answers.findLast((text) => ROOT_CAUSE.test(text));
  const [, listed, named] = ROOT_CAUSE.exec(last ?? '') ?? [];
  return listed ?? named;
}

/** Maximum of diagnoses among which one that found something is looked for. */
const BACK = 5;

/**
 * Says that a question is not understood, with questions that are: about what the conversation has
 * discussed, or else about what the latest diagnoses found. Looks up nothing that is a source.
 */
export function notUnderstoodText(asked: AnswerInput): string {
  const { brief, before, facts, question } = asked;
  const known = brief.topology ? [brief.topology] : listed(facts, question.text);
  const [first] = known;
  if (first === undefined) return `I do not understand that. ${topologiesText([])}`;
  const newest = asked.suspect === undefined ? newestOf(asked) : undefined;
  const { id, name } =
    known.find((topology) => topology.id === (before.topologyId ?? newest?.topology_id)) ?? first;
  const suspect = newest?.topology_id === id ? (newest.suspect ?? undefined) : undefined;
  const node = asked.suspect ?? suspect ?? brief.topology?.nodes[0]?.name;
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

/** Returns the latest diagnosis that found something wrong, or else the latest one. */
function newestOf({ brief, before, facts, tools }: AnswerInput): DiagnosisRow | undefined {
  if (!tools.has('list_runs')) return undefined;
  const topology_id = brief.topology?.id ?? before.topologyId;
  const rows = facts.rows({ topology_id, status: 'completed', limit: BACK, suspects: true });
  return rows.find(({ suspect }) => typeof suspect === 'string') ?? rows[0];
}

/** Returns all topologies, as they are looked up for the names in a text. */
function listed(facts: AnswerInput['facts'], text: string): { id: number; name: string }[] {
  facts.naming(text);
  return facts.topologies();
}
