import { ConsiliumError } from '../../../src/domain/errors.js';
import type { Batch } from '../../../src/streams/frame-ring.js';

const frame = (sequence: number, size = 0) =>
  `event: llm.stream\nid: ${sequence}\ndata: {"x":"${'x'.repeat(size)}é"}\n\n`;

/** A log of appends of one to a few frames; what is published can be lost on the way. */
export class FakeLog {
  readonly frames: Buffer[] = [];
  sealed = false;
  trimmed = false;
  reads = 0;

  append(count: number, size: number, seal = false): Batch {
    const first = this.frames.length + 1;
    for (let i = 0; i < count; i++) this.frames.push(Buffer.from(frame(first + i, size)));
    this.sealed = seal;
    return {
      first,
      last: this.frames.length,
      bytes: Buffer.concat(this.frames.slice(first - 1)),
      sealed: seal,
    };
  }

  tail(at = 0) {
    const frame = this.frames[at - 1];
    return { lastSequence: this.frames.length, sealed: this.sealed, ...(frame && { frame }) };
  }

  page(after: number, limit: number) {
    this.reads++;
    if (this.trimmed) throw new ConsiliumError('RUN_EXPIRED', 'gone');
    const before = this.frames[after - 1];
    return {
      ...(before && { before }),
      frames: this.frames.slice(after, after + limit),
      lastSequence: this.frames.length,
      sealed: this.sealed,
    };
  }

  after(cursor: number): string {
    return Buffer.concat(this.frames.slice(cursor)).toString();
  }
}
