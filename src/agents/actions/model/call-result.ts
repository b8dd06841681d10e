import type { DraftEvent } from '../../../domain/events/event.js';
import type { ModelError } from '../../../models/calls/model-error.js';
import type { ParkRequest } from '../../runtime/session-step.js';
import type { TurnCost } from './usage-event.js';

/** The complete answer of a model in a turn. */
export interface ModelTurn extends TurnCost {
  text: string;
  calls: { tool: string; input: string }[];
  /** The answer was limited, since few tokens were left for it. */
  isBounded: boolean;
  /** Tokens of the request, by our estimate. */
  bytes: number;
}

/**
 * `parked`: the agent gives its slot back and repeats this later. `spent`: no tokens are left for
 * the call. `stopped`: the process may not continue the agent; `events` have the tokens of the
 * attempt. `late`: the agent's time is up; `text` is the model's text until then. `cut`: the tree
 * has cancelled the call.
 */
export type CallResult =
  | { kind: 'answered'; turn: ModelTurn }
  | { kind: 'parked'; parked: ParkRequest }
  | { kind: 'spent' }
  | { kind: 'failed'; error: ModelError }
  | { kind: 'stopped'; events: DraftEvent[] }
  | { kind: 'late'; text: string }
  | { kind: 'cut' };
