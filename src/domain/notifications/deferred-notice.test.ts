import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SEVERITIES, type EventSeverity } from './agent-event.js';
import {
  addNotices,
  deferredNotices,
  noNotices,
  noticesFor,
  receiveNotices,
  removeNotices,
  without,
  type Notice,
} from './deferred-notice.js';
import { freshNotifications, type DeferredGroup } from './notification-state.js';

const notice = (
  id: string,
  {
    session = 'talk',
    severity = 'info',
    at = 0,
  }: { session?: string; severity?: EventSeverity; at?: number } = {},
): Notice => {
  const row = { type: 'agent.self.remind', severity, text: id, count: 1, key: id, at };
  const group = {
    subscriber: 's',
    name: 'S',
    priority: 'normal' as const,
    inject_at: 'turn_start' as const,
    opened: at,
    order: 1,
    rows: [row],
    closed: true,
  };
  return { id, session, runId: 'r1', at, group };
};
const ids = (notices: readonly Notice[]) => notices.map(({ id }) => id);

describe('deferred notices', () => {
  it('are delivered to every conversation except their own', () => {
    const state = addNotices(noNotices(), [notice('a'), notice('b', { session: 'other' })], 0);
    expect(ids(noticesFor(state, 'talk', 0).notices)).toEqual(['b']);
    expect(ids(noticesFor(state, 'new', 0).notices)).toEqual(['a', 'b']);
  });

  it('wait until they are removed, and stay removed', () => {
    const state = addNotices(noNotices(), [notice('a'), notice('b')], 0);
    const delivered = noticesFor(state, 'new', 0);
    const after = removeNotices(addNotices(state, [notice('c')], 0), delivered);
    expect(ids(after.waiting)).toEqual(['c']);
    expect(removeNotices(after, delivered)).toEqual(after);
  });

  it('are not duplicated when they are added again', () => {
    const once = addNotices(noNotices(), [notice('a')], 0);
    expect(addNotices(once, [notice('a')], 0)).toEqual(once);
  });

  it('are dropped when they are too old', () => {
    const state = addNotices(noNotices(), [notice('a', { at: 1 })], 0);
    expect(noticesFor(state, 'new', 2).notices).toEqual([]);
    expect(ids(addNotices(state, [notice('b', { at: 3 })], 2).waiting)).toEqual(['b']);
  });

  it('keep the 50 most severe and count the others', () => {
    const severities = fc.array(fc.constantFrom(...SEVERITIES), { maxLength: 120 });
    fc.assert(
      fc.property(severities, (all) => {
        const state = all.reduce(
          (sum, severity, at) => addNotices(sum, [notice(`n${at}`, { severity, at })], 0),
          noNotices(),
        );
        expect(state.waiting.length).toBe(Math.min(50, all.length));
        expect(state.waiting.length + (state.leftOut?.count ?? 0)).toBe(all.length);
        const rank = ({ group }: Notice) => SEVERITIES.indexOf(group.rows[0]?.severity ?? 'debug');
        const worst = state.leftOut ? SEVERITIES.indexOf(state.leftOut.worst) : 0;
        if (state.leftOut)
          expect(Math.min(...state.waiting.map(rank))).toBeGreaterThanOrEqual(worst);
      }),
    );
  });

  it('are added to the notifications of a turn, with their origin', () => {
    const board = freshNotifications();
    const carried = { notices: [notice('a')], leftOut: { count: 3, worst: 'error' as const } };
    receiveNotices(board, [carried], 7);
    expect(board.groups.map(({ rows }) => rows[0])).toMatchObject([
      { text: 'from an earlier session: a', carried: true, origin: 'an earlier session, run r1' },
      { text: 'from earlier sessions: 3 more were left out, up to severity error' },
    ]);
  });

  it('are removed from the deferred notifications of an agent', () => {
    const deferred = (when: 'next_turn' | 'next_session'): DeferredGroup => ({
      deferral: { when },
      since: { turn: 1, done: 0 },
      group: notice('x').group,
    });
    const state = {
      ...freshNotifications(),
      deferred: [deferred('next_turn'), deferred('next_session')],
    };
    const found = deferredNotices(state);
    expect(found).toEqual([state.deferred[1]]);
    expect(without(state, found).deferred).toEqual([state.deferred[0]]);
  });
});
