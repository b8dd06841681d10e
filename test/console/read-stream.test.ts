import { expect, it } from '@jest/globals';
import { readStream, SLICE_BYTES } from '../../console/src/api/read-stream.js';

const PIECE = 16 * 1_024;

/** A piece of a stream: one event with so many bytes. */
function piece(sequence: number): Uint8Array {
  const head = `event: llm.stream\nid: ${sequence}\ndata: {"sequence":${sequence},"content":"`;
  return new TextEncoder().encode(`${head}${'x'.repeat(PIECE - head.length - 4)}"}\n\n`);
}

it('gives the page a turn after each slice, though all of the stream is there', async () => {
  const count = 64;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let i = 1; i <= count; i++) controller.enqueue(piece(i));
      controller.close();
    },
  });
  let turns = 0;
  let ended = false;
  const turn = (): void => {
    turns++;
    if (!ended) setImmediate(turn);
  };
  setImmediate(turn);
  /** By turn of the event loop: how many events were read in it. */
  const readIn = new Map<number, number>();
  await readStream(
    body,
    (events) => void readIn.set(turns, (readIn.get(turns) ?? 0) + events.length),
    () => undefined,
  );
  ended = true;
  const counts = [...readIn.values()];
  expect(counts.reduce((sum, each) => sum + each, 0)).toBe(count);
  expect(Math.max(...counts)).toBeLessThanOrEqual(SLICE_BYTES / PIECE);
});
