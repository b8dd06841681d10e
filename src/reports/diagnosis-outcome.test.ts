import { expect, it } from '@jest/globals';
import { reportOf } from '../../test/support/incidents/outcomes.js';
import type { RunEvent } from '../domain/events/event.js';
import type { RunState } from '../event-log/log-port.js';
import { outcomeOf } from './diagnosis-outcome.js';

const state = (status: RunState['status'], kind = 'diagnosis') =>
  ({
    status,
    endedAt: Date.UTC(2026, 0, 1),
    head: { kind, topologyId: 1, topologyName: 'S' },
  }) as RunState;
const event = (data: object) => ({ data }) as unknown as RunEvent;

it('is what the last event of a diagnosis says', () => {
  const report = reportOf();
  const ended = [
    outcomeOf('r', state('completed'), event({ report, summary: 's' })),
    outcomeOf('r', state('failed'), event({ error: 'late', code: 'DEADLINE', report: null })),
    outcomeOf('r', state('cancelled'), event({ reason: 'asked', report })),
  ];
  expect(ended.map((each) => [each?.verdict, each?.headline])).toEqual([
    ['root_cause_found', 'The database refuses connections'],
    ['failed', 'The diagnosis failed (DEADLINE): late'],
    ['cancelled', 'The diagnosis was cancelled: asked'],
  ]);
  expect(ended[0]).toMatchObject({
    endedAt: '2026-01-01T00:00:00.000Z',
    topologyName: 'S',
    report,
  });
});

it('does not exist before the end, for a chat, or without the last event', () => {
  expect(outcomeOf('r', state('running'), event({}))).toBeUndefined();
  expect(outcomeOf('r', state('completed', 'chat'), event({}))).toBeUndefined();
  expect(outcomeOf('r', state('completed'), undefined)).toBeUndefined();
});
