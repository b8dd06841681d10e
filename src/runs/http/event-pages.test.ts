import { beforeEach, describe, expect, it } from '@jest/globals';
import { completed, spec, started, text } from '../../../test/support/incidents/drafts.js';
import { MemoryLog } from '../../event-log/memory-log.js';
import { EventPages } from './event-pages.js';

interface Page {
  items: { sequence: number; run_id: string }[];
  nextAfter: number | null;
  nextBefore?: number | null;
}

const RUN = 'r';
let log: MemoryLog;
let pages: EventPages;
beforeEach(() => {
  log = new MemoryLog();
  pages = new EventPages(log);
});

/** Writes a run of `count` events, all but the first of this size. */
async function write(count: number, size = 1): Promise<void> {
  await log.create(RUN, spec, [started]);
  await log.claim(RUN, 'w');
  const events = Array.from({ length: count - 1 }, () => text('x'.repeat(size)));
  for (let from = 0, step = 1; from < events.length; from += 100, step++)
    await log.append(RUN, { writer: 'w', epoch: 1, step, events: events.slice(from, from + 100) });
}

const read = (answer: string) => {
  const { code, data } = JSON.parse(answer) as { code: string; data: Page };
  expect(code).toBe('SUCCESS');
  return { ...data, items: data.items.map(({ sequence }) => sequence) };
};
const after = async (cursor: number, limit: number) =>
  read(await pages.after(RUN, cursor, { limit }));
const before = async (cursor: number, limit: number) =>
  read(await pages.before(RUN, cursor, { limit }));
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('the events after a sequence', () => {
  it('come in pages of any limit, until the end of a run that has ended', async () => {
    await write(149);
    await log.seal(RUN, () => completed);
    for (const limit of [1, 63, 64, 65, 1_000]) {
      const seen: number[] = [];
      for (let next: number | null = 0; next !== null;) {
        const page: ReturnType<typeof read> = await after(next, limit);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        seen.push(...page.items);
        next = page.nextAfter;
      }
      expect(seen).toEqual(range(1, 150));
    }
  });

  it('may be none yet in an open run, whose next page begins at the same place', async () => {
    await write(3);
    expect(await after(3, 10)).toEqual({ items: [], nextAfter: 3 });
    await log.seal(RUN, () => completed);
    expect(await after(3, 10)).toEqual({ items: [4], nextAfter: null });
    expect(await after(4, 10)).toEqual({ items: [], nextAfter: null });
  });

  it('fill a page at 4 MiB', async () => {
    await write(200, 60_000);
    const { items, nextAfter } = await after(0, 1_000);
    expect(items.length).toBeLessThan(200);
    expect(items).toEqual(range(1, items.length));
    expect(nextAfter).toBe(items.length);
  });
});

describe('the events before a sequence', () => {
  it('are the latest, in the order of the log, back to its beginning', async () => {
    await write(150);
    expect(await before(151, 100)).toEqual({
      items: range(51, 150),
      nextAfter: 150,
      nextBefore: 51,
    });
    expect(await before(51, 100)).toEqual({
      items: range(1, 50),
      nextAfter: 50,
      nextBefore: null,
    });
    expect(await before(1, 100)).toEqual({ items: [], nextAfter: 0, nextBefore: null });
  });

  it('fill a page at 4 MiB, with the latest of them', async () => {
    await write(200, 60_000);
    const { items, nextBefore } = await before(201, 1_000);
    expect(items.length).toBeLessThan(200);
    expect(items).toEqual(range(201 - items.length, 200));
    expect(nextBefore).toBe(items[0]);
  });
});

describe('the events of a dispatch', () => {
  /** Of 500 events each third one names d1, and another third names it within a text only. */
  const ofDispatch = range(1, 500).filter((sequence) => sequence % 3 === 2);
  beforeEach(async () => {
    await log.create(RUN, spec, [started]);
    await log.claim(RUN, 'w');
    const mentioned = text('"dispatch_id":"d1"');
    const own = { ...text('x'), data: { ...text('x').data, dispatch_id: 'd1' } };
    const events = range(2, 500).map((sequence) =>
      sequence % 3 === 2 ? own : sequence % 3 === 1 ? mentioned : text('x'),
    );
    await log.append(RUN, {
      writer: 'w',
      epoch: 1,
      step: 1,
      events: events as (typeof mentioned)[],
    });
    await log.seal(RUN, () => completed);
  });

  it.each([1, 63, 1_000])('come in pages of %i, forwards', async (limit) => {
    const seen: number[] = [];
    for (let next: number | null = 0; next !== null;) {
      const page = read(await pages.after(RUN, next, { limit, dispatch: 'd1' }));
      expect(page.items.length).toBeLessThanOrEqual(limit);
      seen.push(...page.items);
      next = page.nextAfter;
    }
    expect(seen).toEqual(ofDispatch);
  });

  it('come in pages, backwards', async () => {
    const seen: number[] = [];
    for (let next: number | null | undefined = 502; next;) {
      const page = read(await pages.before(RUN, next, { limit: 7, dispatch: 'd1' }));
      seen.unshift(...page.items);
      next = page.nextBefore;
    }
    expect(seen).toEqual(ofDispatch);
  });
});
