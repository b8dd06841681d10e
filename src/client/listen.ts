import type { NamedEvent } from '../domain/events/event.js';
import { failureOf, troubleOf, type StreamTrouble } from './stream-error.js';

/** Trouble where an event was expected. */
export interface TroubleEvent {
  name: 'error';
  error: StreamTrouble;
}

export interface Listener {
  /** Each event in turn; also trouble, unless there is an `onStreamError`. The next one waits for what this returns. */
  onEvent(event: NamedEvent | TroubleEvent): unknown;
  /** The run has failed, or its stream is lost for good. */
  onStreamError?(trouble: StreamTrouble): unknown;
  /** Nothing more will come, whatever the reason; also after an error. */
  onDone?(): unknown;
}

/** Reads a stream of events by callbacks. Resolves after `onDone`; rejects only with what a callback throws. */
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
        // Who has stopped listening wants to hear no more.
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
