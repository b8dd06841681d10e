import type { Tree } from '../../domain/behaviour-tree/tree.js';
import type { Prompts } from '../../domain/prompt/prompts.js';
import type { RunSpec } from '../../domain/run.js';
import type { ModelEntry } from '../../models/models.js';
import type { RoleBehaviour } from '../roles/role-behaviour.js';
import type { AgentPlace } from './agent-place.js';
import type { Deadline } from './deadline.js';
import type { Message } from './conversation.js';
import type { RunWriter } from './run-writer.js';

/** What a session begins with. */
export interface SessionFacts {
  runId: string;
  spec: RunSpec;
  /** ms, by the log's clock: when the run was accepted. */
  createdAt: number;
  dispatchId: string | null;
  task: string;
  place: AgentPlace;
  role: RoleBehaviour;
  /** As they were when the run began. */
  prompts: Prompts;
  tree: Tree;
  /**
   * The model that it is bound to, then those that take its place; empty if there is no such model.
   */
  chain: readonly ModelEntry[];
  writer: RunWriter;
  /** The conversation as the log has it. */
  messages: readonly Message[];
  /**
   * Fires on cancel, on a lost fence or lock, and when the process must hand over: the agent stops
   * where it is.
   */
  signal: AbortSignal;
  /** When this agent's time is up: then it reports what it has. */
  deadline: Deadline;
  /** ms, by the log's clock: when that is. */
  deadlineAt: number;
  /** ms, by the log's clock. */
  now: () => number;
}
