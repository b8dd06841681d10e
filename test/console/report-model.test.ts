import { expect, it } from '@jest/globals';
import type { RunDetail } from '../../console/src/api/types.js';
import { reportModel } from '../../console/src/model/report-model.js';
import { causesAt } from '../../console/src/model/view/findings-at.js';
import { groundsAt } from '../../console/src/model/view/grounds-at.js';

const cause = { node: 'db', title: 'the disk is full', confidence: 0.9, evidence: [4, 9] };
const run = {
  runId: 'r',
  kind: 'diagnosis',
  status: 'completed',
  topologyId: 1,
  topologyName: 'Shop',
  userMessage: 'It is slow.',
  createdAt: '2026-09-12T11:25:00.000Z',
  endedAt: null,
  partial: true,
  reasons: ['TOOL_FAILED'],
  summary: 'Full.',
  error: null,
  report: { verdict: 'root_cause_found', root_causes: [cause], findings: [], unchecked: [] },
} as unknown as RunDetail;

it('has the report of a run whose log is gone, and its beginning and its end', () => {
  const model = reportModel(run);
  expect(model.last).toBe(2);
  expect(model.started).toMatchObject({ topology_id: 1, user_message: 'It is slow.' });
  expect(causesAt(model, model.last)).toEqual([cause]);
  expect(model.terminal).toMatchObject({
    name: 'lifecycle.completed',
    data: { partial: true, reasons: ['TOOL_FAILED'] },
  });
});

it('claims nothing about measurements that are gone', () => {
  expect(groundsAt(reportModel(run), cause, 2)).toEqual([
    { speaks: 'for', text: 'Rests on 2 tool results' },
  ]);
});

it.each([
  ['failed', { error: { code: 'AI_ERROR', message: 'No key.' } }, { error: 'No key.' }],
  ['cancelled', { summary: 'Stopped.' }, { reason: 'Stopped.' }],
])('says how a run that %s ended', (status, more, data) => {
  const model = reportModel({ ...run, ...more, status, report: null } as unknown as RunDetail);
  expect(model.terminal).toMatchObject({ name: `lifecycle.${status}`, data });
});
