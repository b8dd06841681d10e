import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FakeLog } from '../../test/support/memory/fake-log.js';
import { FrameRing, tailOf } from './frame-ring.js';

describe('FrameRing', () => {
  it('returns the frames after a sequence or undefined, within its bounds', () => {
    const batches = fc.array(
      fc.record({
        count: fc.integer({ min: 1, max: 4 }),
        size: fc.nat(80),
        skip: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(batches, fc.integer({ min: 100, max: 3_000 }), (list, most) => {
        const log = new FakeLog();
        const ring = new FrameRing(20, () => 2_000);
        let oldest = 0;
        for (const { count, size, skip } of list) {
          if (skip) oldest = log.append(1, 0).last;
          ring.push(log.append(count, size));
        }
        for (let after = 0; after <= log.frames.length; after++) {
          const range = ring.after(after, most);
          if (!range) continue;
          expect(after).toBeGreaterThanOrEqual(oldest);
          expect(range.last).toBeGreaterThan(after);
          expect(range.bytes.toString()).toBe(
            Buffer.concat(log.frames.slice(after, range.last)).toString(),
          );
        }
        expect(ring.after(log.frames.length)).toBeUndefined();
        if (list.length > 0)
          expect(ring.after(log.frames.length - 1)?.last).toBe(log.frames.length);
      }),
    );
  });

  it('returns the rest of a batch', () => {
    const log = new FakeLog();
    log.append(2, 3);
    const batch = log.append(3, 5);
    for (const after of [2, 3, 4]) expect(tailOf(batch, after).toString()).toBe(log.after(after));
  });
});
