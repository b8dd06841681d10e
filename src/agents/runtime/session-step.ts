import type { Blackboard } from '../../domain/blackboard.js';
import type { DraftEvent } from '../../domain/events/event.js';
import type { Json, JsonObject } from '../../lib/json.js';
import type { ModelEntry } from '../../models/models.js';
import type { Message, ModelPrompt } from './conversation.js';

/**
 * Notices that are delivered at a point of an agent's work: messages for its model, events for
 * people who watch.
 */
export interface Notices {
  messages: Message[];
  events: DraftEvent[];
}

/** For how long an agent gives its slot back, unless it is woken. */
export interface ParkRequest {
  ms: number;
  /** The model that it waits for. */
  inLine?: ModelEntry;
}

/** State of an agent that only this process has: it is lost with the process, and created again. */
export interface Scratch {
  /** What the model is sent in this turn, once it was put together. */
  prepared?: ModelPrompt | undefined;
  /** What the model had said when it was cut off for good. */
  unfinished: string;
}

/** A step of an agent's work: the state after it, and what is recorded of it. */
export interface StepResult {
  state: Blackboard;
  events?: readonly DraftEvent[];
  messages?: readonly Message[];
  scratch?: Partial<Scratch>;
}

/** A call with its result. `refused`: it was not made, since something was wrong with it. */
export interface AnsweredCall {
  id: string;
  tool: string;
  args: JsonObject;
  output: Json;
  failed: boolean;
  refused: boolean;
}
