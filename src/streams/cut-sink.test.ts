import { expect, it } from '@jest/globals';
import { cutSink } from './cut-sink.js';
import type { Sink } from './follower.js';

it('ends after the first frame that is the last one, and takes nothing more', () => {
  const written: string[] = [];
  let ends = 0;
  const sink: Sink = {
    write: (bytes) => written.push(bytes.toString()),
    backlog: () => 0,
    queued: () => 0,
    onceDrained: (callback) => callback(),
    end: () => void ends++,
    destroy: () => undefined,
  };
  const cut = cutSink(sink, (frame) => frame === 'b\n\n');
  for (const text of [': ping\n\n', 'a\n\n', 'a\n\nb\n\nc\n\n', ': ping\n\n', 'd\n\n'])
    cut.write(Buffer.from(text));
  expect(written).toEqual([': ping\n\n', 'a\n\n', 'a\n\nb\n\n']);
  expect(ends).toBe(1);
});
