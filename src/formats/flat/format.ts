import { EVENT_NAMES } from '../../domain/events/event.js';
import { eventSchema } from '../../domain/events/event-schemas.js';
import { executor } from '../executor/format.js';
import type { StreamFormat } from '../stream-format.js';
import { encoder } from './encoder.js';

/** For consoles that read flat events. */
export const flat: StreamFormat = {
  encoder,
  frames: Object.fromEntries(EVENT_NAMES.map((name) => [name, eventSchema(name, true)])),
  ends: executor.ends,
  hasParts: false,
};
