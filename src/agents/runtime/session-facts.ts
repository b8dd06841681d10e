import type { Tree } from '../../domain/behaviour-tree/tree.js';
import type { Prompts } from '../../domain/prompt/prompts.js';
import type { RunSpec } from '../../domain/run.js';
import type { ModelEntry } from '../../models/models.js';
import type { RoleBehaviour } from '../roles/role-behaviour.js';
import type { AgentPlace } from './agent-place.js';
import type { Deadline } from './deadline.js';
import type { Message } from './conversation.js';
import type { RunWriter } from './run-writer.js';

/** The initial values of a session. */
export interface SessionFacts {
  runId: string;
  spec: RunSpec;
  /** ms, by the log's clock: when the run was accepted. */
  createdAt: number;
  dispatchId: string | null;
  task: string;
  place: AgentPlace;
  role: RoleBehaviour;
  /** The limits at the start of the run. */
  prompts: Prompts;
  tree: Tree;
  /** The model of its binding, then its replacements; empty if there is no such model. */
  chain: readonly ModelEntry[];
  writer: RunWriter;
  /** The conversation in the log. */
  messages: readonly Message[];
  /**
   * Aborted on cancel, on a lost fence or lock, and when the process must hand over: the agent
   * stops immediately.
   */
  signal: AbortSignal;
  /** The end of this agent's time: it then reports its findings. */
  deadline: Deadline;
  /** ms, by the log's clock: when that is. */
  deadlineAt: number;
  /** ms, by the log's clock. */
  now: () => number;
}
