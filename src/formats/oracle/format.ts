import type { StreamFormat } from '../stream-format.js';
import { encoder } from './encoder.js';
import { schema } from './schema.js';

/** The oracle chat panel. */
export const oracle: StreamFormat = {
  encoder,
  frames: schema,
  ends: { completed: 'done', failed: 'error', cancelled: 'error' },
  hasParts: true,
};
