import { expect, test } from '@jest/globals';
import type { Json } from '../../lib/json.js';
import type { ToolAnswer } from './plan.js';
import { planWorker } from './plan-worker.js';

const node = { id: 'mail', name: 'Mail', kind: 'queue', dependsOn: [], attributes: {} };
const textWith = (lacks?: Record<string, string[]>) =>
  planWorker(
    { role: 'worker', node, firstLook: [], ...(lacks && { lacks }) },
    [],
    new Set(['queue_depth']),
  );

test('a node without a first look says which attributes its tools need', () => {
  expect(textWith({ queue_depth: ['queue'], queue_age: ['queue', 'vhost'] })).toMatchObject({
    text: 'Mail could not be checked: queue_depth needs the attribute queue and queue_age needs the attributes queue and vhost in the topology.',
    calls: [{ tool: 'report', args: { status: 'failed' } }],
  });
});

test('a node that no tool is for says so', () => {
  expect(textWith().text).toBe('Mail could not be checked: no tool supports it.');
});

test.each([['queue: must match /^[a-z-]+$/'], [{ error: 'queue: must match /^[a-z-]+$/' }]])(
  'a node that its tools could not measure says why: %j',
  (output) => {
    const failed: ToolAnswer = {
      id: 't1',
      tool: 'queue_depth',
      args: {},
      failed: true,
      output,
    };
    expect(planWorker(brief, [failed], new Set()).text).toBe(
      'Mailer could not be checked: no tool could measure it (queue_depth: queue: must match /^[a-z-]+$/).',
    );
  },
);

const brief = {
  role: 'worker' as const,
  firstLook: [],
  node: { ...node, name: 'Mailer' },
};
const answer = (output: object): ToolAnswer => ({
  id: 't1',
  tool: 'log_patterns',
  args: {},
  failed: false,
  output: output as Json,
});
const plan = (...outputs: object[]) => planWorker(brief, outputs.map(answer), new Set());
const issue = (severity: string) => ({
  severity,
  symptom: 'advisory',
  title: 'a new error',
  detail: 'seen twice',
});

test('a node is not called well of which nothing was recorded', () => {
  const none = { summary: 'no logs of mail were found', measurements: { recorded: false } };
  const text = 'No data about Mailer was recorded.';
  expect(plan(none, none)).toMatchObject({ reasoning: '', text });
  expect(plan(none, { summary: '2 patterns', measurements: {} })).toMatchObject({
    reasoning: 'All measurements of Mailer are within their limits.',
  });
});

test.each([
  ['info', 'Mailer: 1 observation that alone does not show a fault.'],
  ['warning', 'Mailer is degraded: 1 finding.'],
  ['critical', 'Mailer is failing: 1 finding.'],
])('what was found is worded by the worst severity: %s', (severity, reasoning) => {
  expect(plan({ summary: '', issues: [issue(severity)] })).toMatchObject({ reasoning });
});
