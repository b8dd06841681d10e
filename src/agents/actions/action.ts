import type { AgentAction } from '../../behaviours/agent-actions.js';
import type { Leaf } from '../../domain/behaviour-tree/tree.js';
import type { Blackboard } from '../../domain/blackboard.js';
import type { DraftEvent } from '../../domain/events/event.js';
import type { LogPort } from '../../event-log/log-port.js';
import type { ModelCalls } from '../../models/calls/model-calls.js';
import type { Models } from '../../models/models.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';
import type { AgentSession } from '../runtime/agent-session.js';
import type { ParkRequest, StepResult } from '../runtime/session-step.js';

/** The parts of the process that actions use outside of their agent. */
export interface Ports {
  log: LogPort;
  models: Models;
  calls: ModelCalls;
  tools: ToolRegistry;
}

/** The input of an action. */
export interface ActionContext {
  session: AgentSession;
  leaf: Leaf;
  /** Its signal is aborted when the tree cancels the leaf. */
  abort: { readonly signal: AbortSignal };
  ports: Ports;
}

/** An action that is done. `state` is its last step, if that was not taken before. */
export interface CompletedAction extends Partial<StepResult> {
  outcome: 'success' | 'failure';
  hold?: true;
  last?: true;
}

/**
 * How an action ended.
 * - `success`, `failure`: it is done. With a state, that is its last step; without one, its steps
 *   were taken on the way. `hold`: the step is appended together with the next one. `last`: the
 *   step ends the agent's work.
 * - `wait`: it is to be carried out again later. `parked`: it waits for its model, and gives its
 *   slot back.
 * - `stopped`: the process hands the agent over or has lost it; `events` are still to be recorded.
 */
export type ActionResult =
  | CompletedAction
  | { outcome: 'wait'; parked?: ParkRequest }
  | { outcome: 'stopped'; events: readonly DraftEvent[] };

/**
 * One thing that an agent can do, by the name that trees use. It changes nothing that it is given:
 * it returns the state after it. One that waits for I/O takes the steps on its way through
 * `session.step`, each from the state of that moment.
 */
export interface Action {
  name: AgentAction | 'llm-call';
  run(context: ActionContext, state: Readonly<Blackboard>): ActionResult | Promise<ActionResult>;
}
