import { describe, expect, it } from '@jest/globals';
import { agentEvent } from './agent-event.js';
import { enqueue, QUEUE_SIZE } from './event-queue.js';
import { freshNotifications } from './notification-state.js';
import { event } from '../../../test/support/models/notification-parts.js';

describe('an event', () => {
  it('has the severity of its type unless one is given', () => {
    expect(
      agentEvent({ id: 'x', type: 'budget.token.exceeded', source: 'w', now: 0 }),
    ).toMatchObject({
      severity: 'error',
      timestamp: '1970-01-01T00:00:00.000Z',
      dedupe_key: 'budget.token.exceeded:w',
    });
    expect(agentEvent({ id: 'x', type: 'toString', source: 'w', now: 0 }).severity).toBe('info');
  });
});

describe('the queue', () => {
  it('drops the oldest event of the lowest severity, and never error or critical', () => {
    const queue = freshNotifications().queue;
    for (let n = 0; n < QUEUE_SIZE; n++)
      enqueue(queue, event(n, { severity: n % 2 ? 'info' : 'debug' }));
    enqueue(queue, event(-1, { severity: 'warning' }));
    expect(queue).toMatchObject({ dropped: 1 });
    expect(queue.events.map(({ id }) => id)).not.toContain('e0');
    enqueue(queue, event(-2, { severity: 'debug' }));
    expect(queue.events.map(({ id }) => id)).not.toContain('e2');
    const full = freshNotifications().queue;
    for (let n = 0; n < QUEUE_SIZE + 5; n++) enqueue(full, event(n, { severity: 'error' }));
    enqueue(full, event(-3, { severity: 'warning' }));
    expect([full.events.length, full.dropped]).toEqual([QUEUE_SIZE + 5, 1]);
  });
});
