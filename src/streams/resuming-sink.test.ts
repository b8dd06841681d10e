import { expect, it } from '@jest/globals';
import { TestSink } from '../../test/support/memory/test-sink.js';
import { resumingSink } from './resuming-sink.js';

const frames = (sequence: number, parts: number) =>
  Array.from({ length: parts }, (_, i) => `id: ${sequence}.${i + 1}\ndata: ${i + 1}\n\n`);
const sinkOf = (test: TestSink) => ({
  write: (bytes: Buffer) => test.write(bytes),
  end: () => test.end(),
});

it('returns the sink itself for a cursor between two events', () => {
  const sink = sinkOf(new TestSink()) as unknown as Parameters<typeof resumingSink>[0];
  expect(resumingSink(sink, { after: 7, parts: 0 })).toBe(sink);
});

it('drops the frames of the first event that the client has, and nothing later', () => {
  const test = new TestSink();
  const sink = resumingSink(sinkOf(test) as unknown as Parameters<typeof resumingSink>[0], {
    after: 6,
    parts: 2,
  });
  sink.write(Buffer.from(': ping\n\n'));
  sink.write(Buffer.from([...frames(7, 3), ...frames(8, 2)].join('')));
  sink.write(Buffer.from(frames(7, 2).join('')));
  expect(test.pings).toBe(1);
  expect(test.text).toBe([...frames(7, 3).slice(2), ...frames(8, 2), ...frames(7, 2)].join(''));
});
