import type { StreamFormat } from '../stream-format.js';
import { encoder } from './encoder.js';
import { schema } from './schema.js';

/** Clients of AG-UI 1.0. */
export const agUi: StreamFormat = {
  encoder,
  frames: schema,
  ends: { completed: 'RUN_FINISHED', failed: 'RUN_ERROR', cancelled: 'RUN_FINISHED' },
  hasParts: true,
};
