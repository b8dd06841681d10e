import type { JsonSchema } from '../domain/json-schema.js';
import type { Encoder } from './encoder.js';

/** The schemas of a format's frames by kind: the name of the SSE event, or `data.type` where the format names no events. */
export type FrameSchemas = Record<string, JsonSchema>;

/**
 * One encoding of the log (contract section 7). Its folder holds this definition (`format.ts`), its encoder, the schemas of
 * its frames, a fixture and a test; `registry.ts` names it.
 */
export interface StreamFormat {
  /** How the log is encoded. Null: the log as it is. */
  encoder: Encoder<unknown> | null;
  frames: FrameSchemas;
  /** The kind of the frame that says how a run ended. */
  ends: { completed: string; failed: string; cancelled: string };
  /** The text of a last `data` line that is not JSON. */
  sentinel?: '[DONE]';
  /** Response headers besides those of every stream. */
  headers?: Record<string, string>;
  /** Whether an event may become several frames, so that there are cursors between them. */
  hasParts: boolean;
}
