import type { JsonSchema } from '../domain/json-schema.js';
import type { Encoder } from './encoder.js';

/**
 * The schemas of a format's frames by kind: the name of the SSE event, or `data.type` if the format
 * names no events.
 */
export type FrameSchemas = Record<string, JsonSchema>;

/**
 * One encoding of the log (contract section 7). Its folder holds this definition (`format.ts`), its
 * encoder, the schemas of its frames, a fixture and a test; `registry.ts` names it.
 */
export interface StreamFormat {
  /** Encodes the log. Null: the log is sent unchanged. */
  encoder: Encoder<unknown> | null;
  frames: FrameSchemas;
  /** The kind of the frame that ends a run, by the outcome of the run. */
  ends: { completed: string; failed: string; cancelled: string };
  /** The text of the last `data` line, if that is not JSON. */
  sentinel?: '[DONE]';
  /** Additional response headers. */
  headers?: Record<string, string>;
  /** Whether one event may make several frames, with cursors between them. */
  hasParts: boolean;
}
