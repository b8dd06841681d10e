import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Longest silence on a living stream: the service sends a comment at least every 15 s (contract section 2). */
const SILENCE_MS = 45_000;

/**
 * The frames of an SSE body as they come. Ends when the body ends; throws when it breaks or falls silent, so that a dead
 * connection cannot hang a client.
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
