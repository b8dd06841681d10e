import { EVENT_NAMES } from '../../domain/events/event.js';
import { eventSchema } from '../../domain/events/event-schemas.js';
import type { StreamFormat } from '../stream-format.js';

/** The default format: the unchanged log (contract section 2). */
export const executor: StreamFormat = {
  encoder: null,
  frames: Object.fromEntries(EVENT_NAMES.map((name) => [name, eventSchema(name)])),
  ends: {
    completed: 'lifecycle.completed',
    failed: 'lifecycle.failed',
    cancelled: 'lifecycle.cancelled',
  },
  hasParts: false,
};
