import type { Tree } from '../domain/behaviour-tree/tree.js';
import type { AgentType } from '../domain/events/event.js';
import type { AgentAction } from './agent-actions.js';

const LAST_ACTION = {
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

/**
 * Why a tree does not fit a role: it has the last action of another role, which may end the whole
 * run.
 */
export function wrongLastAction(type: AgentType, tree: Tree): string | undefined {
  const own = LAST_ACTION[type];
  const others = new Set<string>(Object.values(LAST_ACTION).filter((action) => action !== own));
  for (const action of actionsIn(tree))
    if (others.has(action)) {
      const whose = (Object.keys(LAST_ACTION) as AgentType[])
        .filter((each) => LAST_ACTION[each] === action)
        .map((each) => WHO[each]);
      return `(action ${action}) is the last action of ${whose.join(' and of ')}; the last action of ${WHO[type]} is (action ${own})`;
    }
  return undefined;
}
