import type { Blackboard } from '../../domain/blackboard.js';
import type { DraftEvent } from '../../domain/events/event.js';
import type { Json, JsonObject } from '../../lib/json.js';
import type { ModelEntry } from '../../models/models.js';
import type { Message, ModelPrompt } from './conversation.js';

/**
 * Notices that are delivered at a point of an agent's work: messages for its model, events for
 * clients.
 */
export interface Notices {
  messages: Message[];
  events: DraftEvent[];
}

/** How long an agent gives its slot back, unless it is woken. */
export interface ParkRequest {
  ms: number;
  /** The model that it waits for. */
  inLine?: ModelEntry;
}

/**
 * State of an agent that only this process has: it is lost with the process, and then created
 * again.
 */
export interface Scratch {
  /** The request of this turn, once it was built. */
  prepared?: ModelPrompt | undefined;
  /** The text of the model when its call was cut off for good. */
  unfinished: string;
}

/** A step of an agent's work: the new state, and what is recorded of it. */
export interface StepResult {
  state: Blackboard;
  events?: readonly DraftEvent[];
  messages?: readonly Message[];
  scratch?: Partial<Scratch>;
}

/** A call with its result. `refused`: it was not made, since it was faulty. */
export interface AnsweredCall {
  id: string;
  tool: string;
  args: JsonObject;
  output: Json;
  failed: boolean;
  refused: boolean;
}
