import type { Tree } from '../domain/behaviour-tree/tree.js';
import type { AgentType } from '../domain/events/event.js';
import type { AgentAction } from './agent-actions.js';

const LAST_WORD = {
  worker: 'report',
  team_supervisor: 'report',
  global_supervisor: 'conclude',
  oracle: 'answer',
} as const satisfies Record<AgentType, AgentAction>;

const WHO: Record<AgentType, string> = {
  worker: 'a worker',
  team_supervisor: "a team's supervisor",
  global_supervisor: 'the global supervisor',
  oracle: 'the oracle',
};

/** Names of the actions in a tree. */
function* actionsIn(tree: Tree): Generator<string> {
  if (tree.type === 'action') yield tree.fn ?? tree.name;
  if ('children' in tree) for (const child of tree.children) yield* actionsIn(child);
  if ('child' in tree && tree.child) yield* actionsIn(tree.child);
  if (tree.type === 'finally') yield* actionsIn(tree.last);
}

/** What is wrong with a tree as the behaviour of a role: it would end with another role's last word, which may end the whole run. */
export function wrongLastWord(type: AgentType, tree: Tree): string | undefined {
  const own = LAST_WORD[type];
  const others = new Set<string>(Object.values(LAST_WORD).filter((word) => word !== own));
  for (const action of actionsIn(tree))
    if (others.has(action)) {
      const whose = (Object.keys(LAST_WORD) as AgentType[])
        .filter((each) => LAST_WORD[each] === action)
        .map((each) => WHO[each]);
      return `(action ${action}) is the last word of ${whose.join(' and of ')}; that of ${WHO[type]} is (action ${own})`;
    }
  return undefined;
}
