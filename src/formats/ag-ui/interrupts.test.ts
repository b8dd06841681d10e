import { expect, it } from '@jest/globals';
import { GLOBAL, LogText } from '../../../test/support/streams/log-text.js';
import { encodeEach, encodeLog, framesOf } from '../../../test/support/streams/encode.js';
import { LOGS } from '../../../test/support/streams/logs.js';
import { agUiEvents } from '../../../test/support/streams/protocol-readers.js';
import { interruptIn, readInterruptId } from './interrupts.js';

const LOG = LOGS['a diagnosis that asks for an approval'] as string[];
const RUN = new LogText().runId;
const DIGEST = 'a'.repeat(64);
const INTERRUPT = `${RUN}:t2:${DIGEST}`;

it('ends the run of the protocol with what is to be approved, and goes on in another one', async () => {
  const events = await agUiEvents(encodeLog('ag-ui', LOG));
  const place = { threadId: RUN, runId: RUN };
  const bounds = events.filter(({ type }) => /^RUN_/.test(type));
  expect(bounds).toMatchObject([
    { type: 'RUN_STARTED', ...place },
    {
      type: 'RUN_FINISHED',
      ...place,
      usage: [{ totalTokens: 15 }],
      outcome: {
        type: 'interrupt',
        interrupts: [
          {
            id: INTERRUPT,
            reason: 'tool_call',
            toolCallId: `${RUN}:t2`,
            message: 'Restart the process of Shop. Requests fail.',
            expiresAt: '2026-01-01T00:10:00.000Z',
            responseSchema: { required: ['approved'] },
            metadata: { tool: 'restart_process', args: { node: 'shop' }, args_digest: DIGEST },
          },
        ],
      },
    },
    { type: 'RUN_STARTED', threadId: RUN, runId: `${RUN}#2` },
    {
      type: 'RUN_FINISHED',
      runId: `${RUN}#2`,
      outcome: { type: 'success' },
      usage: [{ totalTokens: 15 }],
    },
  ]);
  const types = events.map(({ type }) => type);
  expect(types.slice(types.indexOf('CUSTOM'), types.indexOf('TOOL_CALL_RESULT'))).toEqual([
    'CUSTOM',
    'RUN_FINISHED',
    'RUN_STARTED',
    'CUSTOM',
  ]);
});

const ask = (log: LogText, approval_id: string, dispatch_id: string | null = null) =>
  log.add('system.approval', GLOBAL, {
    approval_id,
    tool_call_id: approval_id,
    dispatch_id,
    turn: 1,
    tool: 'restart_process',
    args: {},
    args_digest: DIGEST,
    node: 'web',
    risk: 'Some.',
    message: 'Restart it.',
    expires_at: '2026-01-01T00:10:00.000Z',
  });

it('names every open approval, and suspends sub-agents until it goes on', async () => {
  const log = new LogText().start('diagnosis').add('dispatch.team', GLOBAL, {
    team_name: 'Web',
    task: 'Look.',
    dispatch_id: 'd1',
    agent_id: 's',
  });
  ask(ask(log, 't1'), 't2');
  log.add('system.decision', null, {
    approval_id: 't1',
    decision: 'deny',
    by: null,
    message: 'No.',
  });
  ask(log, 't3').add('lifecycle.cancelled', null, { reason: 'Enough.', report: null });
  const events = await agUiEvents(encodeLog('ag-ui', log.frames));
  const shown = events
    .filter(({ type }) => type !== 'CUSTOM')
    .map(({ type, outcome, subagentRunId = '' }) => {
      const { type: how = '', interrupts = [] } = (outcome ?? {}) as {
        type?: string;
        interrupts?: { id: string }[];
      };
      const ids = interrupts.map(({ id }) => id.split(':')[1]).join(' ');
      return [type, how, ids, (subagentRunId as string).slice(-2)].filter(Boolean).join(' ');
    });
  expect(shown).toEqual([
    'RUN_STARTED',
    'SUBAGENT_STARTED d1',
    'SUBAGENT_FINISHED suspended d1',
    'RUN_FINISHED interrupt t1',
    'RUN_STARTED',
    'SUBAGENT_STARTED d1',
    'SUBAGENT_FINISHED suspended d1',
    'RUN_FINISHED interrupt t1 t2',
    'RUN_STARTED',
    'SUBAGENT_STARTED d1',
    'SUBAGENT_FINISHED suspended d1',
    'RUN_FINISHED interrupt t2 t3',
    'RUN_STARTED',
    'SUBAGENT_STARTED d1',
    'SUBAGENT_ERROR d1',
    'RUN_FINISHED cancelled',
  ]);
});

it('finds the frame that interrupts a run, and no other', () => {
  const frames = framesOf(encodeEach('ag-ui', LOG).join(''));
  expect(frames.map(interruptIn).filter((found) => found !== undefined)).toEqual([
    { sequence: 4, expiresAt: expect.any(Number) },
  ]);
});

it('reads the id of an interrupt of its run only', () => {
  expect(readInterruptId(RUN, INTERRUPT)).toEqual({ approvalId: 't2', argsDigest: DIGEST });
  for (const id of ['', RUN, `${RUN}:t2`, `${RUN}:t2:`, `other:t2:${DIGEST}`, `${INTERRUPT}:x`])
    expect(readInterruptId(RUN, id)).toBeUndefined();
});
