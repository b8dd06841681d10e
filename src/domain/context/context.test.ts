import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Message } from '../message.js';
import { bytesOf, updateDensity, tokensOf, unknownDensity } from './density.js';
import { delegationReason } from './delegation.js';
import { fitView } from './fit-view.js';
import { evidenceOf, viewOf, wholeView } from './view.js';

const sizeOf = (message: Message) => JSON.stringify(message).length;
const room = (most: number) => ({ most, wanted: Math.floor(most * 0.7), sizeOf });
const size = (messages: readonly Message[]) =>
  messages.reduce((sum, message) => sum + sizeOf(message), 0);

const result = (id: string, length: number): Message => ({
  role: 'result',
  id,
  failed: false,
  output: {
    evidence: id,
    status: 'failed',
    summary: `${id} in short`,
    issues: [{ severity: 'critical', title: 'disk full' }],
    text: 'x'.repeat(length),
  },
});
const turn = (n: number, ...lengths: number[]): Message[] => [
  {
    role: 'assistant',
    text: `turn ${n}`,
    calls: lengths.map((_, i) => ({ id: `t${n}_${i}`, tool: 'probe', args: { node: 'a' } })),
  },
  ...lengths.map((length, i) => result(`t${n}_${i}`, length)),
];
const turns = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => turn(n, length)).flat();
const textOf = (messages: readonly Message[]) => JSON.stringify(messages);

describe('the view of a conversation', () => {
  it('is the whole conversation if it fits', () => {
    const messages = turns(5, 1_000);
    const view = wholeView();
    expect(fitView(messages, view, room(100_000))).toBe(view);
    expect(viewOf(messages, view)).toEqual(messages);
  });

  it('leaves out the oldest results first and keeps their gist and id', () => {
    const messages = turns(10, 1_000);
    const view = fitView(messages, wholeView(), room(9_000));
    expect(view).toMatchObject({
      folded: 0,
      cut: ['t0_0', 't1_0', 't2_0', 't3_0', 't4_0', 't5_0', 't6_0'],
    });
    const shown = viewOf(messages, view);
    expect(size(shown)).toBeLessThanOrEqual(9_000);
    expect(shown[1]).toMatchObject({
      output: {
        evidence: 't0_0',
        left_out: expect.stringContaining('read_result with the id t0_0'),
        in_short: 'failed, t0_0 in short, critical: disk full',
      },
    });
    expect(shown.slice(-4)).toEqual(messages.slice(-4));
  });

  it('then replaces the oldest turns by a digest', () => {
    const messages = turns(30, 500);
    const view = fitView(messages, wholeView(), room(6_000));
    const shown = viewOf(messages, view);
    expect(view.folded).toBeGreaterThan(0);
    expect(size(shown)).toBeLessThanOrEqual(6_000);
    expect(shown[0]).toMatchObject({
      role: 'note',
      text: expect.stringContaining(
        'probe {"node":"a"}: failed, t1_0 in short, critical: disk full [t1_0]',
      ),
    });
    expect(shown[1]).toMatchObject({ role: 'assistant' });
    expect(shown.slice(-4)).toEqual(messages.slice(-4));
  });

  it('then leaves out the results of the latest turns, largest first', () => {
    const messages = turn(0, 500, 50_000, 600);
    const view = fitView(messages, wholeView(), room(4_000));
    expect(view.cut).toEqual(['t0_1']);
  });

  it('is built from the conversation each time', () => {
    const messages = turns(40, 400);
    let view = wholeView();
    for (let n = 2; n <= messages.length; n += 2)
      view = fitView(messages.slice(0, n), view, room(8_000));
    expect(viewOf(messages, view)[0]).toMatchObject({
      text: expect.stringContaining('t0_0 in short'),
    });
    expect(textOf(viewOf(messages, view)).match(/left out to save room\]/g)).toHaveLength(1);
  });

  it('cites the first id of a result that was read again', () => {
    const again: Extract<Message, { role: 'result' }> = {
      role: 'result',
      id: 't9',
      failed: false,
      output: { evidence: 't9', measurements: { result_of: 't1', part: 'y' } },
    };
    expect(evidenceOf(again)).toBe('t1');
  });

  it('keeps a result that is shorter than what would replace it', () => {
    const messages = turn(0, 20, 1_000);
    const view = { ...wholeView(), cut: ['t0_0', 't0_1'] };
    const shown = viewOf(messages, view);
    expect(shown[1]).toEqual(messages[1]);
    expect(sizeOf(shown[2] as Message)).toBeLessThan(sizeOf(messages[2] as Message));
  });

  it('shows the librarian summary instead of a result', () => {
    const messages = turn(0, 1_000);
    const shown = viewOf(messages, { ...wholeView(), summaries: { t0_0: 'the disk is full' } });
    expect(shown[1]).toMatchObject({
      output: {
        evidence: 't0_0',
        summary: 'the disk is full',
        summed_up: expect.stringContaining('read_result'),
      },
    });
  });

  const anyMessages = fc
    .array(fc.array(fc.integer({ min: 0, max: 4_000 }), { maxLength: 4 }), { maxLength: 30 })
    .map((all) => all.flatMap((lengths, n) => turn(n, ...lengths)));

  it('fits if stubs and a digest do, and has every result whole, cut, or in the digest', () => {
    fc.assert(
      fc.property(anyMessages, fc.integer({ min: 14_000, max: 60_000 }), (messages, most) => {
        const view = fitView(messages, wholeView(), room(most));
        const shown = viewOf(messages, view);
        expect(size(shown)).toBeLessThanOrEqual(most);
        const ids = messages.flatMap((message) => (message.role === 'result' ? [message.id] : []));
        const digest = shown[0]?.role === 'note' ? shown[0].text : '';
        const there = new Set(
          shown.flatMap((message) => (message.role === 'result' ? [message.id] : [])),
        );
        const notThere = ids.filter((id) => !there.has(id) && !digest.includes(`[${id}]`));
        expect(notThere.length === 0 || /lines before these/.test(digest)).toBe(true);
        // Every call has its result.
        for (const message of shown)
          if (message.role === 'assistant')
            for (const { id } of message.calls) expect(there).toContain(id);
      }),
    );
  });

  it('only shrinks until it fits, also across a saved view', () => {
    fc.assert(
      fc.property(anyMessages, fc.integer({ min: 14_000, max: 30_000 }), (messages, most) => {
        let view = wholeView();
        let saved = wholeView();
        const ends = messages
          .flatMap(({ role }, i) => (role === 'assistant' ? [i] : []))
          .concat(messages.length);
        for (const end of ends) {
          const next = fitView(messages.slice(0, end), view, room(most));
          expect(next.folded).toBeGreaterThanOrEqual(view.folded);
          expect(next.cut.slice(0, view.cut.length)).toEqual(view.cut);
          saved = JSON.parse(
            JSON.stringify(fitView(messages.slice(0, end), saved, room(most))),
          ) as typeof view;
          view = next;
        }
        expect(saved).toEqual(view);
      }),
    );
  });
});

describe('the estimate', () => {
  it('starts high and learns from counts of the provider', () => {
    expect(tokensOf(unknownDensity(), 3_000)).toBe(1_000);
    const prompt = updateDensity(unknownDensity(), { tokens: 500, bytes: 2_000 });
    expect(tokensOf(prompt, 3_000)).toBe(1_000);
    let learned = prompt;
    for (let n = 2; n < 60; n++)
      learned = updateDensity(learned, { tokens: 500 * n, bytes: 2_000 * n });
    expect(tokensOf(learned, 4_000)).toBeLessThan(1_010);
    expect(bytesOf(learned, 1_000)).toBeGreaterThan(3_960);
  });

  it('uses the ratio of the added part if it is higher', () => {
    const first = updateDensity(unknownDensity(), { tokens: 500, bytes: 2_000 });
    expect(tokensOf(updateDensity(first, { tokens: 1_500, bytes: 4_000 }), 1_000)).toBe(500);
  });

  it('is not lowered by a single count or by missing counts', () => {
    const dense = updateDensity(unknownDensity(), { tokens: 1_000, bytes: 2_000 });
    expect(tokensOf(updateDensity(dense, { tokens: 1_050, bytes: 4_100 }), 1_000)).toBeGreaterThan(
      450,
    );
    expect(updateDensity(dense, { tokens: 0, bytes: 4_000 })).toEqual(dense);
  });
});

describe('gives a result to the librarian', () => {
  const scored = (...scores: number[]) => ({ results: scores.map((score) => ({ score })) });
  it.each([
    ['http_probe', {}, 4_001, 'about 4001 tokens'],
    ['http_probe', {}, 4_000, null],
    [
      'vault_search',
      scored(0.9, 0.9, 0.9, 0.9, 0.85, 0.85, 0.81),
      10,
      '7 results of a search with like scores',
    ],
    ['vault_search', scored(0.9, 0.9, 0.9, 0.9, 0.85, 0.85, 0.79), 10, null],
    ['vault_search', scored(0.9, 0.9, 0.9, 0.9, 0.9, 0.9), 10, null],
    ['vault_list', { measurements: { files: Array(11).fill('f') } }, 10, '11 entries of a listing'],
    ['vault_list', { files: Array(10).fill('f') }, 10, null],
    ['thread_read', { entries: Array(21).fill('f') }, 10, '21 entries of a thread'],
    ['thread_read', { entries: Array(20).fill('f') }, 10, null],
  ])('%s', (tool, output, tokens, why) => {
    expect(delegationReason(tool, output, tokens)).toBe(why);
  });
});
