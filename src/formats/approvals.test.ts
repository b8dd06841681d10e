import { expect, test } from '@jest/globals';
import type { Format } from './registry.js';
import { encodeEach, payloads } from '../../test/support/streams/encode.js';
import { LOGS } from '../../test/support/streams/logs.js';

const LOG = LOGS['a diagnosis that asks for an approval'] as string[];
const [ASKED, DECIDED] = ['system.approval', 'system.decision'].map((name) =>
  LOG.findIndex((frame) => frame.startsWith(`event: ${name}\n`)),
) as [number, number];

const WHAT = 'Restart the process of Shop.';
const NEEDED = `Approval needed: ${WHAT} Requests fail.`;
const APPROVED = `ann has approved it: ${WHAT}`;
const callId = expect.stringMatching(/:t2$/) as unknown;
const approval = {
  approval_id: 't2',
  tool: 'restart_process',
  args: { node: 'shop' },
  node: 'shop',
  args_digest: 'a'.repeat(64),
  risk: 'Requests fail.',
  expires_at: '2026-01-01T00:10:00.000Z',
};
const decision = { approval_id: 't2', decision: 'approve', by: 'ann' };

/** The frames of an approval and of its decision, in the formats that show them. */
const FRAMES: Partial<Record<Format, [asked: object[], decided: object[]]>> = {
  executor: [[{ data: { ...approval, message: WHAT } }], [{ data: decision }]],
  flat: [
    [{ type: 'system.approval', content: WHAT, metadata: approval }],
    [{ type: 'system.decision', content: APPROVED, metadata: decision }],
  ],
  oracle: [
    [{ type: 'system', system_type: 'approval_requested', content: NEEDED, metadata: approval }],
    [{ type: 'system', system_type: 'approval_decided', content: APPROVED, metadata: decision }],
  ],
  // These two show the outcome of the call, which says how it was decided.
  agent: [[{ type: 'tool_progress', tool_id: callId, message: NEEDED }], []],
  chat: [[{ tool_use_id: callId, name: 'restart_process', message: NEEDED }], []],
  'ag-ui': [
    [
      { type: 'CUSTOM', name: 'system.approval', value: approval },
      {
        type: 'RUN_FINISHED',
        outcome: { type: 'interrupt', interrupts: [{ toolCallId: callId }] },
      },
    ],
    [{ type: 'RUN_STARTED' }, { type: 'CUSTOM', name: 'system.decision', value: decision }],
  ],
  'ai-sdk': [
    [
      { type: 'tool-approval-request', approvalId: 't2', toolCallId: callId },
      { type: 'data-notice', data: { ...approval, message: NEEDED, code: 'APPROVAL_REQUESTED' } },
    ],
    [{ type: 'data-notice', data: { ...decision, message: APPROVED, code: 'APPROVAL_DECIDED' } }],
  ],
};

const SHOWN = Object.entries(FRAMES) as [Format, [object[], object[]]][];

test.each(SHOWN)(
  'format %s shows what is to be approved, and how it was decided',
  (format, [asked, decided]) => {
    const frames = encodeEach(format, LOG);
    expect(payloads(frames[ASKED] ?? '')).toMatchObject(asked);
    expect(payloads(frames[DECIDED] ?? '')).toMatchObject(decided);
  },
);

test.each(SHOWN)('format %s shows that a change was refused', (format) => {
  const log = LOG.map((frame) =>
    frame
      .replaceAll('"decision":"approve"', '"decision":"deny"')
      .replace('"status":"ok","dispatch_id"', '"status":"denied","dispatch_id"')
      .replace(
        '"result":{"status":"ok","summary":"Restarted."}',
        '"result":{"error":"ann refused it."}',
      ),
  );
  const shown = encodeEach(format, log).slice(DECIDED).join('');
  expect(shown).toMatch(format === 'ai-sdk' ? /"tool-output-denied"/ : /ann refused it\./);
});
