import type { NamedEvent } from '../domain/events/event.js';
import { failureOf, toStreamFailure, type StreamFailure } from './stream-error.js';

/** A failure of the run or its stream, delivered as an event. */
export interface FailureEvent {
  name: 'error';
  error: StreamFailure;
}

export interface Listener {
  /**
   * Called for each event in order, and for a failure if `onStreamError` is absent. Awaited before
   * the next event.
   */
  onEvent(event: NamedEvent | FailureEvent): unknown;
  /** Called if the run failed, or if its stream cannot be resumed. */
  onStreamError?(failure: StreamFailure): unknown;
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
        // No callback is called after the caller has stopped listening.
        if (signal?.aborted) return;
        const failure = toStreamFailure(error);
        await (listener.onStreamError
          ? listener.onStreamError(failure)
          : listener.onEvent({ name: 'error', error: failure }));
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
