import type { Json, JsonObject } from '../lib/json.js';

/** One entry of an agent's conversation with its model, as kept in the log's list of messages. Never changed once it is there. */
export type Message =
  | { role: 'assistant'; text: string; calls: { id: string; tool: string; args: JsonObject }[] }
  | {
      role: 'result';
      id: string;
      output: Json;
      failed: boolean;
      interrupted?: true;
      refused?: true;
    }
  | { role: 'note'; text: string };
