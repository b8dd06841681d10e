import type { Tree } from '../domain/behaviour-tree/tree.js';

const action = (name: string): Tree => ({ type: 'action', name });
const condition = (name: string): Tree => ({ type: 'condition', name });
const sequence = (...children: Tree[]): Tree => ({ type: 'sequence', children });
const selector = (...children: Tree[]): Tree => ({ type: 'selector', children });

/** More turns than any limit allows: the limit itself is `start-turn`'s. */
const TURNS = 1_000;

/** Turn after turn until the agent is done, then its last word. A supervisor also waits for those it has sent. */
const agent = (turn: Tree[], lastWord: string): Tree =>
  sequence(
    {
      type: 'repeater',
      until: 'success',
      max: TURNS,
      child: sequence(
        action('start-turn'),
        selector(condition('stopped?'), sequence({ type: 'llm-call' }, ...turn)),
        condition('stopped?'),
      ),
    },
    action(lastWord),
  );

/** The loop of each role, as data. */
export const TREES = {
  worker: agent([action('run-tools')], 'report'),
  team_supervisor: agent([action('run-tools'), action('await-reports')], 'report'),
  global_supervisor: agent([action('run-tools'), action('await-reports')], 'conclude'),
} satisfies Record<string, Tree>;
