import type { Json, JsonObject } from '../lib/json.js';

/**
 * One message of an agent's conversation with its model, as stored in the log's list of messages.
 * Immutable.
 */
export type Message =
  | {
      role: 'assistant';
      text: string;
      calls: { id: string; tool: string; args: JsonObject }[];
      /** The service made these calls for the agent. */
      byService?: true;
    }
  | {
      role: 'result';
      id: string;
      output: Json;
      failed: boolean;
      interrupted?: true;
      refused?: true;
    }
  /** `origin`: where the text comes from, if it holds text that is not the service's own. */
  | { role: 'note'; text: string; origin?: string };
