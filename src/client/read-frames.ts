import { createParser, type EventSourceMessage } from 'eventsource-parser';

/**
 * Maximum silence on an open stream: the service sends a comment at least every 15 s (contract
 * section 2).
 */
const SILENCE_MS = 45_000;

/**
 * Yields the frames of an SSE body as they arrive. Ends when the body ends. Throws if the
 * connection breaks or is silent for too long, so that a dead connection cannot block a client.
 */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<EventSourceMessage> {
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(message) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  let watch = setTimeout(cancel, SILENCE_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(watch);
      watch = setTimeout(cancel, SILENCE_MS);
      parser.feed(decoder.decode(value, { stream: true }));
      yield* ready.splice(0);
    }
  } finally {
    clearTimeout(watch);
    await reader.cancel().catch(() => undefined);
  }
}
