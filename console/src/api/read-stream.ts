import { createParser } from 'eventsource-parser';
import type { EventName, NamedEvent, RunEvent } from '../../../src/client/index.js';
import { quotaIn, type Quota } from './quota.js';

/**
 * A frame of a stream that is no event of a run: a refusal in the stream itself, such as
 * `rate_limit_exceeded`.
 */
export class RefusedInStream extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly quota: Quota | null,
  ) {
    super(message);
  }
}

/**
 * After this many bytes the page handles keys and frames before more is parsed.
 * @internal Exported for tests.
 */
export const SLICE_BYTES = 256 * 1_024;

/**
 * Reads the events of a stream in batches, one for each piece that the network delivers, until the
 * body ends. Pieces that are there already are not all parsed at a stretch: the page gets a turn in
 * between.
 * @param heard called for every piece, so also for comments
 */
export async function readStream(
  body: ReadableStream<Uint8Array>,
  onBatch: (events: NamedEvent[]) => void,
  heard: () => void,
): Promise<void> {
  let batch: NamedEvent[] = [];
  let refused: RefusedInStream | undefined;
  const parser = createParser({
    onEvent: ({ event: name, data }) => {
      if (name === 'error' || name === undefined) refused ??= refusalIn(data);
      else batch.push({ ...(JSON.parse(data) as RunEvent), name: name as EventName } as NamedEvent);
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let parsed = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      parsed += value.byteLength;
      parser.feed(decoder.decode(value, { stream: true }));
      if (batch.length > 0) onBatch(batch);
      batch = [];
      if (refused) throw refused;
      if (parsed < SLICE_BYTES) continue;
      parsed = 0;
      await new Promise((resolve) => setTimeout(resolve));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function refusalIn(data: string): RefusedInStream {
  const { type, message, ...more } = JSON.parse(data) as {
    type?: string;
    message?: string;
    usage?: number;
    limit?: number;
  };
  return new RefusedInStream(type ?? 'ERROR', message ?? 'The service has refused.', quotaIn(more));
}
