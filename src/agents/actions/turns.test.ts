import { describe, expect, it } from '@jest/globals';
import { act, sessionOf, turnOf } from '../../../test/support/models/agent-session.js';
import type { Blackboard } from '../../domain/blackboard.js';
import type { RunEvent } from '../../domain/events/event.js';
import { takeReports } from './await-reports.js';
import { buildMessages } from './build-messages.js';
import { drainNotifications } from './drain-notifications.js';
import { end } from './end.js';
import { limitReached } from './limits-reached.js';
import { start } from './start.js';
import { startTurn } from './start-turn.js';

const queued = (result: object): string[] =>
  (
    result as { state?: { notifications: { queue: { events: { type: string }[] } } } }
  ).state?.notifications.queue.events.map(({ type }) => type) ?? [];

describe('start', () => {
  it('emits the start of the query', async () => {
    expect(queued(await act(start, sessionOf().session))).toEqual(['query.start']);
  });
});

describe('start-turn', () => {
  it('counts the turn', async () => {
    const { session } = sessionOf({ board: { turn: 0 } });
    expect(await act(startTurn, session)).toMatchObject({ state: { turn: 1, reached: null } });
    expect(session.board.turn).toBe(0);
  });

  it('warns once that the turns run out', async () => {
    const limits = { maxIterations: 10, softWarningPercent: 70 };
    const { session } = sessionOf({ limits, board: { turn: 6 } });
    const result = await act(startTurn, session);
    expect(result).toMatchObject({ events: [{ data: { code: 'LIMIT_WARNING' } }] });
    expect(queued(result)).toContain('budget.iteration.warning');
    const again = sessionOf({ limits, board: { turn: 7, warned: ['iteration'] } }).session;
    expect(await act(startTurn, again)).toMatchObject({ events: [] });
  });

  it.each([
    ['seconds', { now: 100_000, deadlineAt: 102_500 }, 'budget.timeout.warning'],
    ['tokens', { tokens: 70_000, limits: { tokenBudget: 100_000 } }, 'budget.token.warning'],
  ] as const)('warns once that the %s run out', async (_, sketch, type) => {
    const result = await act(startTurn, sessionOf(sketch).session);
    expect(queued(result)).toContain(type);
    const { warned } = (result as { state: Blackboard }).state;
    const again = await act(startTurn, sessionOf({ ...sketch, board: { warned } }).session);
    expect(queued(again)).not.toContain(type);
  });

  it('warns of the time only after 80 % of it', async () => {
    const { session } = sessionOf({ now: 100_000, deadlineAt: 102_501 });
    expect(queued(await act(startTurn, session))).not.toContain('budget.timeout.warning');
  });

  it('says which limit is reached, and counts no turn', async () => {
    const { session } = sessionOf({ limits: { maxIterations: 3 }, board: { turn: 3 } });
    expect(await act(startTurn, session)).toMatchObject({
      state: { turn: 3, reached: 'iteration' },
    });
  });

  it('calls no model once only the reserve of the log is left', async () => {
    const { session } = sessionOf();
    session.writer.isLogNearlyFull = true;
    expect(await act(startTurn, session)).toMatchObject({ state: { turn: 1, reached: 'log' } });
  });
});

describe('limit-reached', () => {
  it.each([
    ['iteration', 'LIMIT_REACHED', 'budget.iteration.exceeded'],
    ['token', 'LIMIT_REACHED', 'budget.token.exceeded'],
    ['timeout', 'LIMIT_REACHED', undefined],
    ['log', 'LOG_LIMIT', undefined],
  ] as const)('ends the work at the limit %s', async (reached, reason, type) => {
    const result = await act(limitReached, sessionOf({ board: { reached } }).session);
    expect(result).toMatchObject({
      state: { stop: true, reasons: [reason] },
      events: [{ data: { code: 'LIMIT_REACHED', limit_type: reached } }],
    });
    expect(queued(result)).toEqual(type ? [type] : []);
  });

  it('does nothing where no limit is reached', async () => {
    expect(await act(limitReached, sessionOf().session)).not.toHaveProperty('events');
  });
});

describe('drain-notifications', () => {
  it('ends the turn', async () => {
    expect(queued(await act(drainNotifications, sessionOf().session))).toEqual(['agent.turn.end']);
  });

  it('does nothing once the agent stops', async () => {
    const { session } = sessionOf({ board: { stop: true } });
    expect(await act(drainNotifications, session)).toEqual({ outcome: 'success' });
  });
});

describe('build-messages', () => {
  it('puts together prompt, task and conversation', async () => {
    const { session } = sessionOf({ messages: turnOf({ tool: 'look', output: { status: 'ok' } }) });
    const result = await act(buildMessages, session);
    expect(result).toMatchObject({
      scratch: {
        prepared: {
          prompt: ['system', 'system', 'user', 'assistant', 'tool'].map((role) => ({ role })),
        },
      },
    });
  });

  it('warns once that the window fills up', async () => {
    const output = { text: 'x'.repeat(300_000) };
    const { session } = sessionOf({ messages: turnOf({ tool: 'look', output }) });
    const result = await act(buildMessages, session);
    expect(result).toMatchObject({ events: [{ data: { code: 'CONTEXT_LIMIT_WARNING' } }] });
    expect(result).toMatchObject({ state: { warned: ['context'] } });
  });
});

describe('await-reports', () => {
  it('puts the reports to the model as the results of its calls', () => {
    const waiting = [
      {
        dispatch_id: 'd1_1',
        call_id: 't1',
        tool: 'dispatch_worker' as const,
        agent_id: '3',
        task: 'Look.',
      },
    ];
    const { session } = sessionOf({ agentId: '2', board: { waiting } });
    const data = { dispatch_id: 'd1_1', status: 'ok', reasons: [], summary: 'Well.', findings: [] };
    const report = { event: { category: 'dispatch', action: 'report' }, data, source: null };
    const result = takeReports(session.draft(), [report as unknown as RunEvent]);
    expect(result).toMatchObject({
      hold: true,
      state: { waiting: [] },
      messages: [{ role: 'result', id: 't1', output: { status: 'ok', summary: 'Well.' } }],
    });
    expect(queued(result)).toEqual(['subagent.end', 'task.checkpoint']);
    expect(session.board.waiting).toHaveLength(1);
    // Whatever a worker says: the supervisor of one that measured nothing learns it.
    const sent = { dispatch_id: 'd1_1', agent_id: '3', worker_name: 'Web worker', task: 'Look.' };
    const dispatch = {
      event: { category: 'dispatch', action: 'worker' },
      data: sent,
      source: null,
    };
    const events = [dispatch, report] as unknown as RunEvent[];
    const measured = takeReports(session.draft(), events, []);
    expect(measured).toMatchObject({
      messages: [{ output: { unchecked: [{ node: 'web', reason: 'NOT_MEASURED' }] } }],
    });
  });
});

describe('end', () => {
  it('does nothing', async () => {
    expect(await act(end, sessionOf().session)).toEqual({ outcome: 'success' });
  });
});
