import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventSeverity } from './agent-event.js';
import {
  handIn,
  nobodyWaits,
  receive,
  takeOut,
  type DeliveryState,
  type NextSession,
  type Notice,
} from './next-session.js';
import { freshNotifications } from './notification-state.js';

const notice = (
  id: string,
  {
    text = id,
    session = null,
    severity = 'info',
    at = 0,
  }: { text?: string; session?: string | null; severity?: EventSeverity; at?: number } = {},
): Notice => {
  const row = { type: 'agent.self.remind', severity, text, count: 1, key: id, at };
  const group = {
    subscriber: 's',
    name: 'S',
    priority: 'normal',
    inject_at: 'turn_start',
    opened: at,
    order: 1,
    rows: [row],
    closed: true,
  } as const;
  return { id, session, at, group: { ...group, rows: [row] } };
};
const take = (
  state: NextSession,
  runId: string,
  {
    session = 'new',
    fates = {},
    now = 0,
  }: { session?: string; fates?: Record<string, DeliveryState>; now?: number } = {},
) => takeOut(state, { runId, session, fates: new Map(Object.entries(fates)), now, oldest: 0 });
const ids = (notices: readonly Notice[]) => notices.map(({ id }) => id);

describe('what is put off until the next session', () => {
  it('is told there once, and not in the session that it came from', () => {
    const state = handIn(nobodyWaits(), [notice('a', { session: 'talk' }), notice('b')], 0);
    const own = take(state, 'r1', { session: 'talk' });
    expect(ids(own.carried.notices)).toEqual(['b']);
    const other = take(own.state, 'r2', { fates: { r1: 'told' } });
    expect(ids(other.carried.notices)).toEqual(['a']);
    expect(take(other.state, 'r3', { fates: { r2: 'told' } }).carried.notices).toEqual([]);
  });

  it('is told later where the turn that took it told of nothing, or never was', () => {
    const taken = take(handIn(nobodyWaits(), [notice('a')], 0), 'r1').state;
    expect(ids(take(taken, 'r1').carried.notices)).toEqual(['a']);
    expect(ids(take(taken, 'r2', { fates: { r1: 'untold' } }).carried.notices)).toEqual(['a']);
    expect(ids(take(taken, 'r2', { fates: { r1: 'none' }, now: 59_000 }).carried.notices)).toEqual(
      [],
    );
    expect(ids(take(taken, 'r2', { fates: { r1: 'none' }, now: 60_000 }).carried.notices)).toEqual([
      'a',
    ]);
    expect(ids(take(taken, 'r2', { fates: { r1: 'open' }, now: 1e9 }).carried.notices)).toEqual([]);
  });

  it('is one with a count where diagnoses say the same again and again', () => {
    let state = nobodyWaits();
    for (let i = 0; i < 1_000; i++) state = handIn(state, [notice(`n${i}`, { text: 'slow' })], 0);
    expect(state.waiting.map(({ group }) => group.rows[0]?.count)).toEqual([1_000]);
    expect(JSON.stringify(state).length).toBeLessThan(4_000);
  });

  it('is bounded: the least goes first, the oldest of it, errors never; of more there is a count', () => {
    let state = handIn(nobodyWaits(), [notice('error', { severity: 'error' })], 0);
    for (let i = 0; i < 60; i++)
      state = handIn(state, [notice(`n${i}`, { severity: i === 5 ? 'warning' : 'info' })], 0);
    expect(state.waiting).toHaveLength(50);
    expect(ids(state.waiting).slice(0, 3)).toEqual(['error', 'n5', 'n12']);
    expect(state.leftOut).toEqual({ count: 11, worst: 'info' });
    for (let i = 0; i < 300; i++)
      state = handIn(state, [notice(`e${i}`, { severity: 'error' })], 0);
    expect(state.waiting).toHaveLength(200);
    expect(state.leftOut).toEqual({ count: 161, worst: 'error' });
    const board = freshNotifications();
    receive(board, take(state, 'r').carried, 7);
    expect(board.groups).toHaveLength(201);
    expect(board.groups.at(-1)?.rows[0]).toMatchObject({
      text: 'from earlier sessions: 161 more that there was no room for, up to error',
    });
    expect(board.groups[0]?.rows[0]).toMatchObject({
      text: expect.stringMatching(/^from an earlier session: /),
      carried: true,
    });
  });

  it('is forgotten when it has become old', () => {
    const state = handIn(nobodyWaits(), [notice('old', { at: 1 }), notice('new', { at: 5 })], 0);
    expect(
      ids(
        takeOut(state, { runId: 'r', session: 's', fates: new Map(), now: 9, oldest: 3 }).carried
          .notices,
      ),
    ).toEqual(['new']);
  });

  it('is told exactly once, whatever is handed in twice, and whichever turns come to nothing', () => {
    const step = fc.oneof(
      fc.record({ hand: fc.integer({ min: 0, max: 19 }) }),
      fc.record({
        run: fc.integer({ min: 0, max: 9 }),
        fate: fc.constantFrom<DeliveryState>('told', 'untold', 'none'),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let state = nobodyWaits();
        let now = 0;
        const told: string[] = [];
        const fates = new Map<string, DeliveryState>();
        const handed = new Set<string>();
        const runTurn = (runId: string, fate: DeliveryState) => {
          // One that has a log takes no more; one that never came to be may be tried again.
          if ((fates.get(runId) ?? 'none') !== 'none') return;
          const { state: next, carried } = takeOut(state, {
            runId,
            session: 'x',
            fates,
            now,
            oldest: 0,
          });
          state = next;
          fates.set(runId, fate);
          if (fate === 'told') told.push(...ids(carried.notices));
        };
        for (const each of steps) {
          now += 60_000;
          if ('hand' in each) {
            handed.add(`n${each.hand}`);
            state = handIn(state, [notice(`n${each.hand}`)], 0);
          } else runTurn(`r${each.run}`, each.fate);
        }
        // Whoever comes in the end hears of the rest.
        now += 60_000;
        runTurn('last', 'told');
        expect(told.toSorted()).toEqual([...handed].toSorted());
      }),
    );
  });
});
