import { Injectable } from '@nestjs/common';
import { frameData } from '../../domain/events/frame.js';
import { LogPort } from '../../event-log/log-port.js';

/** Maximum size of a page, read in slices. */
const PAGE_BYTES = 4_194_304;
const SLICE = 64;

/** Which events a page has. */
export interface PageFilter {
  limit: number;
  /** Only events that name this dispatch: its start, its report, and the actions of its agent. */
  dispatch?: string | undefined;
}

const sizeOf = (frames: readonly Buffer[]): number =>
  frames.reduce((sum, { length }) => sum + length, 0);

/** Whether the JSON of an event names a dispatch. It is parsed only where it holds the text. */
const isOf = (text: string, dispatch: string | undefined): boolean =>
  dispatch === undefined ||
  (text.includes(`"dispatch_id":${JSON.stringify(dispatch)}`) &&
    (JSON.parse(text) as { data: { dispatch_id?: unknown } }).data.dispatch_id === dispatch);

const pageOf = (items: readonly string[], cursors: string): string =>
  `{"code":"SUCCESS","message":"OK","data":{"items":[${items.join()}],${cursors}}}`;

/**
 * Pages of a log as JSON text: without a filter, the events are not parsed. A page is shorter if
 * they are large, or if few of them fit.
 */
@Injectable()
export class EventPages {
  constructor(private readonly log: LogPort) {}

  /** The events after a sequence. `nextAfter` is null at the end of a run that has ended. */
  async after(runId: string, after: number, { limit, dispatch }: PageFilter): Promise<string> {
    const items: string[] = [];
    let size = 0;
    let last = after;
    for (;;) {
      const { frames, lastSequence, sealed } = await this.log.read(runId, last, SLICE);
      for (const frame of frames) {
        if (items.length >= limit) break;
        const text = frameData(frame.toString());
        if (isOf(text, dispatch)) items.push(text);
        last++;
      }
      size += sizeOf(frames);
      const isFull = items.length >= limit || size >= PAGE_BYTES;
      if (frames.length === SLICE && last < lastSequence && !isFull) continue;
      const isEnd = sealed && last >= lastSequence;
      return pageOf(items, `"nextAfter":${isEnd ? 'null' : last}`);
    }
  }

  /**
   * The last events before a sequence, in the order of the log. `nextBefore` is null at the
   * beginning.
   * @param before at most one past the end of the log
   */
  async before(runId: string, before: number, { limit, dispatch }: PageFilter): Promise<string> {
    const items: string[] = [];
    let size = 0;
    let end = before - 1;
    while (end > 0 && items.length < limit && size < PAGE_BYTES) {
      const read = Math.min(SLICE, end);
      const { frames } = await this.log.read(runId, end - read, read);
      for (const frame of frames.toReversed()) {
        if (items.length >= limit) break;
        const text = frameData(frame.toString());
        if (isOf(text, dispatch)) items.push(text);
        end--;
      }
      size += sizeOf(frames);
    }
    const next = end > 0 ? end + 1 : 'null';
    return pageOf(items.toReversed(), `"nextAfter":${before - 1},"nextBefore":${next}`);
  }
}
