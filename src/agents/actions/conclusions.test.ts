import { expect, it, jest } from '@jest/globals';
import { act, sessionOf, turnOf } from '../../../test/support/models/agent-session.js';
import type { Blackboard } from '../../domain/blackboard.js';
import type { LogPort } from '../../event-log/log-port.js';
import { conclude, report } from './conclusions.js';

const log = {
  measured: async () => ({ evidence: new Map(), measurements: [] }),
  reports: async () => [],
} as unknown as LogPort;

/** The report of the worker of `web` after these calls. */
const reportAfter = (...calls: Parameters<typeof turnOf>) => reportOf({}, ...calls);

async function reportOf(board: Partial<Blackboard>, ...calls: Parameters<typeof turnOf>) {
  const { session } = sessionOf({ board, messages: turnOf(...calls) });
  const result = await act(report, session, { log });
  if (result.outcome !== 'success') throw new Error('no step');
  const event = result.events?.find(({ name }) => name === 'dispatch.report');
  return event?.data;
}

const look = (node: string, more: object = {}) => ({ tool: 'look', args: { node }, ...more });

it('is partial if a tool gave no result for the node of the worker', async () => {
  expect(await reportAfter(look('web', { failed: true }))).toMatchObject({
    status: 'partial',
    reasons: ['TOOL_FAILED'],
  });
});

it('fails because of the tools that gave no result, else because its task was not done', async () => {
  const board = {
    conclusion: {
      status: 'failed' as const,
      summary: 'Not looked at.',
      findings: [],
      root_causes: [],
    },
  };
  expect(await reportOf(board, look('web', { failed: true }))).toMatchObject({
    status: 'failed',
    reasons: ['TOOL_FAILED'],
  });
  expect(await reportOf(board, look('web'))).toMatchObject({
    status: 'failed',
    reasons: ['NOT_DONE'],
  });
});

it.each([
  ['a call that was refused', look('web', { failed: true, refused: true })],
  ['a failed look at a neighbour', look('db', { failed: true })],
])('is not partial because of %s', async (_, call) => {
  expect(await reportAfter(call)).toMatchObject({ status: 'ok', reasons: [] });
});

it('is not partial if a later call gave a result', async () => {
  expect(await reportAfter(look('web', { failed: true }), look('web'))).toMatchObject({
    status: 'ok',
  });
});

const issue = { severity: 'critical', symptom: 'erroring', title: 'answers 500', detail: '' };
const concluded = { status: 'ok' as const, summary: '', findings: [], root_causes: [] };
const claim = { node: 'web', title: 'It is slow', evidence: ['t1'] };

it.each([
  ['nothing, if its results show no issue and it claims nothing', [], concluded, 0],
  ['its results, if one shows an issue', [issue], concluded, 1],
  ['its results, if it claims something', [], { ...concluded, root_causes: [claim] }, 1],
])('a worker reads for its report %s', async (_, issues, conclusion, times) => {
  const measured = jest.fn(async () => ({ evidence: new Map(), measurements: [] }));
  const messages = turnOf(look('web', { output: { issues } }));
  const { session } = sessionOf({ board: { conclusion }, messages });
  await act(report, session, { log: { measured } as unknown as LogPort });
  expect(measured).toHaveBeenCalledTimes(times);
});

it('records results that are held back before it reads them', async () => {
  const messages = turnOf(look('web', { output: { issues: [issue] } }));
  const { session, steps } = sessionOf({ messages });
  const measured: LogPort['measured'] = async () => {
    expect(steps).toHaveLength(1);
    return { evidence: new Map(), measurements: [] };
  };
  session.hold({ state: session.board });
  await act(report, session, { log: { measured } as unknown as LogPort });
  expect.assertions(1);
});

it('lets others have the event loop before a run is concluded, and before its report is recorded', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { session } = sessionOf({ agentId: '1' });
  expect(await act(conclude, session, { log })).toMatchObject({ outcome: 'success', last: true });
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(2);
});
