import type { DraftEvent } from '../../../domain/events/event.js';
import type { ModelError } from '../../../models/calls/model-error.js';
import type { ParkRequest } from '../../runtime/session-step.js';
import type { TurnCost } from './usage-event.js';

/** What a model said in a turn, whole. */
export interface ModelTurn extends TurnCost {
  text: string;
  calls: { tool: string; input: string }[];
  /** The answer was bounded, since there were so few tokens left for it. */
  isBounded: boolean;
  /** Of what it was sent, by our measure. */
  bytes: number;
}

/**
 * `parked`: the agent is to give its slot back, and then do this again. `spent`: there are no
 * tokens for the call. `stopped`: the process may not go on with the agent; `events` are what the
 * attempt used. `late`: the agent's time is up; `text` is what the model had written by then.
 * `cut`: the tree has cancelled the call.
 */
export type CallResult =
  | { kind: 'answered'; turn: ModelTurn }
  | { kind: 'parked'; parked: ParkRequest }
  | { kind: 'spent' }
  | { kind: 'failed'; error: ModelError }
  | { kind: 'stopped'; events: DraftEvent[] }
  | { kind: 'late'; text: string }
  | { kind: 'cut' };
