import { freshBlackboard } from '../domain/blackboard.js';
import type { KnownNames } from '../domain/behaviour-tree/compile-node.js';

/** The actions that an agent can carry out. */
const AGENT_ACTIONS = [
  'start',
  'start-turn',
  'limit-reached',
  'build-messages',
  'run-tools',
  'ask-librarian',
  'await-reports',
  'check-progress',
  'drain-notifications',
  'report',
  'conclude',
  'answer',
  'end',
] as const;
export type AgentAction = (typeof AGENT_ACTIONS)[number];

/** What can be asked of an agent's blackboard. */
const AGENT_CONDITIONS = [
  'stopped?',
  'limit-reached?',
  'has-tool-calls?',
  'within-budget?',
] as const;
export type AgentCondition = (typeof AGENT_CONDITIONS)[number];

/** What the tree of an agent may name. */
export const AGENT_LEAVES: KnownNames = {
  actions: AGENT_ACTIONS,
  conditions: AGENT_CONDITIONS,
  blackboard: Object.keys(freshBlackboard()),
};
