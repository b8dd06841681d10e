import type { Brief } from '../../domain/prompt/brief.js';

export type GlobalBrief = Extract<Brief, { role: 'global_supervisor' }> & { userMessage: string };

const WORD_BEFORE = /[\p{L}\p{N}]$/u;
const WORD_AFTER = /^[\p{L}\p{N}]/u;

/**
 * Whether a text names something, as a whole word and in any case. A regular expression for each
 * name would cost more than the plan.
 */
function mentions(lowerCaseText: string, name: string): boolean {
  const wanted = name.toLowerCase();
  if (wanted === '') return false;
  for (
    let at = lowerCaseText.indexOf(wanted);
    at >= 0;
    at = lowerCaseText.indexOf(wanted, at + 1)
  ) {
    const before = lowerCaseText.slice(Math.max(0, at - 2), at);
    const end = at + wanted.length;
    if (!WORD_BEFORE.test(before) && !WORD_AFTER.test(lowerCaseText.slice(end, end + 2)))
      return true;
  }
  return false;
}

/**
 * Returns the teams to dispatch first: the teams of the nodes that the message names and of the
 * nodes that those depend on; all teams if the message names no node.
 */
export function teamsToSend(brief: GlobalBrief): string[] {
  const message = brief.userMessage.toLowerCase();
  const wanted = new Set(
    brief.nodes
      .filter((node) => mentions(message, node.name) || mentions(message, node.id))
      .map((node) => node.id),
  );
  for (const team of brief.teams)
    if (mentions(message, team.name)) team.nodes.forEach((node) => wanted.add(node));
  return teamsOf(wanted, brief);
}

/**
 * Returns the teams of these nodes and of their dependencies; all teams if these nodes have none.
 */
export function teamsOf(ids: Iterable<string>, { nodes, teams }: GlobalBrief): string[] {
  const wanted = new Set(ids);
  // The loop also visits the ids that it adds to the set.
  for (const id of wanted)
    nodes.find((node) => node.id === id)?.dependsOn.forEach((next) => wanted.add(next));
  const chosen = teams.filter((team) => team.nodes.some((node) => wanted.has(node)));
  return (chosen.length > 0 ? chosen : teams).map(({ name }) => name);
}
