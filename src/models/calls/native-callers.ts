import type { ModelEntry } from '../models.js';

/**
 * Models that have made a native tool call, as far as this process knows: calls in their text are
 * not executed. Processes learn it from each other by the limiter.
 */
export const nativeCallers = new WeakSet<ModelEntry>();
