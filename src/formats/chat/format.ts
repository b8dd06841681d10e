import type { StreamFormat } from '../stream-format.js';
import { encoder } from './encoder.js';
import { schema } from './schema.js';

/** Chat front ends. */
export const chat: StreamFormat = {
  encoder,
  frames: schema,
  ends: { completed: 'message_end', failed: 'error', cancelled: 'error' },
  hasParts: true,
};
