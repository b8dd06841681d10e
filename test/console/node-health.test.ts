import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pushEvent } from '../../console/src/model/fold/fold-event.js';
import { RunModel } from '../../console/src/model/run-model.js';
import { outcomeOfRow, rowsAt } from '../../console/src/model/view/rows-at.js';
import type { NamedEvent } from '../../src/client/index.js';
import { framesOf } from '../support/streams/encode.js';
import { eventsIn } from '../support/models/recorded-model.js';

type Draft = [name: string, data: object];

function modelOf(...drafts: Draft[]): RunModel {
  const model = new RunModel();
  drafts.forEach(([name, data], i) => {
    const [category, action] = name.split('.');
    pushEvent(model, {
      run_id: 'r',
      timestamp: '2026-01-01T00:00:00.000Z',
      source: null,
      name,
      data,
      sequence: i + 1,
      event: { category, action },
    } as unknown as NamedEvent);
  });
  return model;
}

const node = (id: string) => ({ id, name: id, kind: 'service', depends_on: [] });
const worker = (id: string, of: string) => ({ agent_id: id, agent_name: id, node: of });
const TOPOLOGY: Draft = [
  'system.topology',
  {
    hierarchy: {
      nodes: [node('web'), node('db')],
      teams: [
        { team_name: 'T', nodes: ['web', 'db'], workers: [worker('w', 'web'), worker('d', 'db')] },
      ],
      global_supervisor: { agent_id: 'g', agent_name: 'Head' },
    },
  },
];
const SENT: Draft[] = [
  ['dispatch.team', { team_name: 'T', agent_id: 's', dispatch_id: 'd1', task: '' }],
  ['dispatch.worker', { worker_name: 'w', agent_id: 'w', dispatch_id: 'd1_1', task: '' }],
  ['dispatch.worker', { worker_name: 'd', agent_id: 'd', dispatch_id: 'd1_2', task: '' }],
];
const REPORTED: Draft = [
  'dispatch.report',
  { dispatch_id: 'd1_1', status: 'ok', summary: 'well', findings: [], reasons: [] },
];

it('is not well at the end if the report leaves it open, though one probe was well', () => {
  const unchecked = [{ node: 'web', reason: 'The run ended before http_probe had answered.' }];
  const report = { verdict: 'inconclusive', root_causes: [], findings: [], unchecked };
  const model = modelOf(TOPOLOGY, ...SENT, REPORTED, [
    'lifecycle.cancelled',
    { reason: 'by a user', report },
  ]);
  expect(model.health('web', model.last - 1)).toBe('ok');
  expect(model.health('web', model.last)).toBe('unchecked');
  expect(model.why('web', model.last)).toContain('http_probe');
});

it('is unchecked, and not still to come, at the end of a run without a report', () => {
  const error = { error: 'no key', code: 'AI_ERROR', retryable: false, report: null };
  const model = modelOf(TOPOLOGY, ...SENT, REPORTED, ['lifecycle.failed', error]);
  expect(model.health('db', model.last - 1)).toBe('unknown');
  expect(model.health('db', model.last)).toBe('unchecked');
  expect(model.health('web', model.last)).toBe('ok');
});

it('narrows the rows to agents that look at it, and to who sent them', () => {
  const model = modelOf(TOPOLOGY, ...SENT);
  const idsOf = (of: string | null) => rowsAt(model, model.last, new Set(), of).map(({ id }) => id);
  expect(idsOf(null)).toEqual(['', 'd1', 'd1_1', 'd1_2']);
  expect(idsOf('db')).toEqual(['', 'd1', 'd1_2']);
  expect(idsOf('elsewhere')).toEqual([]);
});

const ofTop = { dispatch_id: null, turn: 1, attempt: 1, tool: 'http_probe', tool_call_id: 't' };
const CALLED: Draft = ['llm.tool_call', { ...ofTop, args: { node: 'web' } }];
const ANSWERED: Draft = [
  'llm.tool_result',
  {
    ...ofTop,
    status: 'ok',
    duration_ms: 2,
    result: { status: 'ok', summary: '200 in 2 ms', measurements: {}, issues: [] },
  },
];

it('is examined, and then healthy, by what is measured for the agent at the top', () => {
  const model = modelOf(TOPOLOGY, CALLED, ANSWERED);
  expect(model.examiner('web', 2)?.name).toBe('Head');
  expect(model.examiner('web', 3)).toBeUndefined();
  expect([model.health('web', 2), model.health('web', 3)]).toEqual(['unknown', 'ok']);
  expect(model.health('db', 3)).toBe('unknown');
});

it('is not healthy while another tool is at work for the agent at the top', () => {
  const other = { ...ofTop, tool: 'tcp_probe', tool_call_id: 'u' };
  const called: Draft = ['llm.tool_call', { ...other, args: { node: 'web' } }];
  const answered: Draft = ['llm.tool_result', { ...ANSWERED[1], ...other }];
  const model = modelOf(TOPOLOGY, CALLED, called, ANSWERED, answered);
  expect([3, 4, 5].map((seq) => model.health('web', seq))).toEqual(['unknown', 'unknown', 'ok']);
});

it('has a report that is a problem if it reports a failure, not if it is worth knowing', () => {
  const problemsOf = (severity: string): number =>
    modelOf(TOPOLOGY, ...SENT, [
      'dispatch.report',
      {
        dispatch_id: 'd1_1',
        status: 'ok',
        summary: '',
        reasons: [],
        findings: [{ node: 'web', severity, title: 't', detail: '', evidence: [1] }],
      },
    ]).problems;
  expect([problemsOf('info'), problemsOf('warning')]).toEqual([0, 1]);
});

it('gives a supervisor the outcome of the agents below it', () => {
  const reportOf = (id: string, findings: object[]): Draft => [
    'dispatch.report',
    { dispatch_id: id, status: 'ok', summary: '', reasons: [], findings },
  ];
  const critical = { node: 'web', severity: 'critical', title: 't', detail: '', evidence: [1] };
  const model = modelOf(
    TOPOLOGY,
    ...SENT,
    reportOf('d1_1', [critical]),
    reportOf('d1_2', []),
    reportOf('d1', []),
  );
  const outcomes = ['d1', 'd1_1', 'd1_2'].map((id) => {
    const row = model.rows.get(id);
    return row && outcomeOfRow(model, row, model.last);
  });
  expect(outcomes).toEqual(['critical', 'critical', 'ok']);
});

/** How the agents have ended, by the dispatches in the order of the tree. */
const outcomesOf = (model: RunModel) =>
  Object.fromEntries(
    [...model.rows.values()].map((row) => [row.name, outcomeOfRow(model, row, model.last)]),
  );

it('gives the agent at the top the outcome of what was measured for it', () => {
  const failed = { status: 'failed', summary: 'refused', measurements: {} };
  const issue = { severity: 'critical', title: 'connection refused', detail: '' };
  const model = modelOf(
    TOPOLOGY,
    CALLED,
    ['llm.tool_result', { ...ANSWERED[1], result: { ...failed, issues: [issue] } }],
    ['lifecycle.completed', { report: null, partial: false, summary: '' }],
  );
  expect(outcomesOf(model)).toEqual({ Head: 'critical' });
});

it('gives a supervisor the outcome of a node whose worker could do a part of its work only', () => {
  const reportOf = (id: string, status: string, findings: object[]): Draft => [
    'dispatch.report',
    { dispatch_id: id, status, summary: '', reasons: [], findings },
  ];
  const critical = { node: 'web', severity: 'critical', title: 't', detail: '', evidence: [1] };
  const model = modelOf(
    TOPOLOGY,
    ...SENT,
    reportOf('d1_1', 'partial', [critical]),
    reportOf('d1_2', 'ok', []),
    reportOf('d1', 'ok', []),
  );
  expect(outcomesOf(model)).toMatchObject({ T: 'critical', w: 'partial', d: 'ok' });
});

it('gives an agent the outcome that the report gives its node, and its supervisors', () => {
  const model = new RunModel();
  const log = readFileSync(join(import.meta.dirname, '../fixtures/console/bookshop.log'), 'utf8');
  for (const event of eventsIn(framesOf(log))) pushEvent(model, event);
  expect(outcomesOf(model)).toEqual({
    'Global supervisor': 'critical',
    'Bookshop supervisor': 'critical',
    'royalties worker': 'critical',
    'storefront worker': 'warning',
    'checkout worker': 'warning',
    'pricing worker': 'warning',
    'catalog worker': 'warning',
    'books-db worker': 'warning',
    'payments worker': 'ok',
  });
});

describe('two workers of one node', () => {
  const hierarchy = {
    nodes: [node('web')],
    teams: [{ team_name: 'T', nodes: ['web'], workers: [worker('w', 'web'), worker('d', 'web')] }],
    global_supervisor: { agent_id: 'g', agent_name: 'Head' },
  };
  const reportOf = (id: string, findings: object[]): Draft => [
    'dispatch.report',
    { dispatch_id: id, status: 'ok', summary: '', reasons: [], findings },
  ];
  const critical = { node: 'web', severity: 'critical', title: 't', detail: '', evidence: [1] };
  const model = modelOf(
    ['system.topology', { hierarchy }],
    ...SENT,
    reportOf('d1_2', []),
    reportOf('d1_1', [critical]),
  );

  it('leave it unknown until both have reported', () => {
    expect([4, 5, 6].map((seq) => model.health('web', seq))).toEqual([
      'unknown',
      'unknown',
      'critical',
    ]);
  });

  it('have the outcome of what each of them found', () => {
    expect(outcomesOf(model)).toMatchObject({ T: 'critical', w: 'critical', d: 'ok' });
  });
});
