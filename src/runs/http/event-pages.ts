import { Injectable } from '@nestjs/common';
import { frameData } from '../../domain/events/frame.js';
import { LogPort } from '../../event-log/log-port.js';

/** A page has no more events once it holds so much, read in slices. */
const PAGE_BYTES = 4_194_304;
const SLICE = 64;

const textOf = (frames: readonly Buffer[]): string[] =>
  frames.map((frame) => frameData(frame.toString()));
const sizeOf = (frames: readonly Buffer[]): number =>
  frames.reduce((sum, { length }) => sum + length, 0);
const pageOf = (items: readonly string[], cursors: string): string =>
  `{"code":"SUCCESS","message":"OK","data":{"items":[${items.join()}],${cursors}}}`;

/** Pages of a log as JSON text: the events are not parsed on their way. A page is shorter where they are large. */
@Injectable()
export class EventPages {
  constructor(private readonly log: LogPort) {}

  /** The events after a sequence. `nextAfter` is null at the end of a run that has ended. */
  async after(runId: string, after: number, limit: number): Promise<string> {
    const items: string[] = [];
    let size = 0;
    for (;;) {
      const read = Math.min(SLICE, limit - items.length);
      const { frames, lastSequence, sealed } = await this.log.read(
        runId,
        after + items.length,
        read,
      );
      items.push(...textOf(frames));
      size += sizeOf(frames);
      const last = after + items.length;
      const isFull = items.length >= limit || size >= PAGE_BYTES;
      if (frames.length === read && last < lastSequence && !isFull) continue;
      const isEnd = sealed && last >= lastSequence;
      return pageOf(items, `"nextAfter":${isEnd ? 'null' : last}`);
    }
  }

  /**
   * The last events before a sequence, in the order of the log. `nextBefore` is null at the beginning.
   * @param before at most one past the end of the log
   */
  async before(runId: string, before: number, limit: number): Promise<string> {
    let items: string[] = [];
    let size = 0;
    let end = before - 1;
    while (end > 0 && items.length < limit && size < PAGE_BYTES) {
      const read = Math.min(SLICE, limit - items.length, end);
      const { frames } = await this.log.read(runId, end - read, read);
      items = [...textOf(frames), ...items];
      size += sizeOf(frames);
      end -= read;
    }
    return pageOf(items, `"nextAfter":${before - 1},"nextBefore":${end > 0 ? end + 1 : 'null'}`);
  }
}
