import type { NamedEvent } from '../domain/events/event.js';
import { failureOf, troubleOf, type StreamTrouble } from './stream-error.js';

/** A failure of the run or its stream, delivered as an event. */
export interface TroubleEvent {
  name: 'error';
  error: StreamTrouble;
}

export interface Listener {
  /**
   * Called for each event in order, and for a failure if `onStreamError` is absent. Awaited before
   * the next event.
   */
  onEvent(event: NamedEvent | TroubleEvent): unknown;
  /** Called if the run failed, or if its stream cannot be resumed. */
  onStreamError?(trouble: StreamTrouble): unknown;
  /** Called once at the end, also after an error. */
  onDone?(): unknown;
}

/**
 * Reads a stream of events by callbacks. Resolves after `onDone`; rejects only with what a callback
 * throws.
 */
export async function listen(
  events: AsyncIterable<NamedEvent>,
  listener: Listener,
  signal?: AbortSignal,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      let next: IteratorResult<NamedEvent>;
      try {
        next = await iterator.next();
      } catch (error) {
        // No callback after the caller has stopped listening.
        if (signal?.aborted) return;
        const trouble = troubleOf(error);
        await (listener.onStreamError
          ? listener.onStreamError(trouble)
          : listener.onEvent({ name: 'error', error: trouble }));
        return;
      }
      if (next.done) return;
      const failure = failureOf(next.value);
      await (failure && listener.onStreamError
        ? listener.onStreamError(failure)
        : listener.onEvent(next.value));
    }
  } finally {
    await iterator.return?.();
    await listener.onDone?.();
  }
}
