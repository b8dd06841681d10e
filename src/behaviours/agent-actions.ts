import { freshBlackboard } from '../domain/blackboard.js';
import type { KnownNames } from '../domain/behaviour-tree/compilation.js';

/** The actions of agents. */
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
  'measure-left-out',
  'conclude',
  'answer',
  'end',
] as const;
export type AgentAction = (typeof AGENT_ACTIONS)[number];

/** The conditions on an agent's blackboard. */
const AGENT_CONDITIONS = [
  'stopped?',
  'limit-reached?',
  'has-tool-calls?',
  'within-budget?',
] as const;
export type AgentCondition = (typeof AGENT_CONDITIONS)[number];

/** Names that an agent's tree may use. */
export const AGENT_LEAVES: KnownNames = {
  actions: AGENT_ACTIONS,
  conditions: AGENT_CONDITIONS,
  blackboard: Object.keys(freshBlackboard()),
};
