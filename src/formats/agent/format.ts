import type { StreamFormat } from '../stream-format.js';
import { encoder } from './encoder.js';
import { schema } from './schema.js';

/** The agent chat. */
export const agent: StreamFormat = {
  encoder,
  frames: schema,
  ends: { completed: 'stream_end', failed: 'error', cancelled: 'stream_end' },
  sentinel: '[DONE]',
  hasParts: true,
};
