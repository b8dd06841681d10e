import { expect, it } from '@jest/globals';
import { hugeReport, outcomeWith, reportOf } from '../../../test/support/incidents/outcomes.js';
import type { Alert } from '../../alerts/alert.js';
import type { NamedEvent } from '../../domain/events/event.js';
import { textOf } from './outcome-text.js';
import { alertLines, renderPostmortem, timelineOf } from './postmortem.js';

const at = '2026-11-22T12:00:00.000Z';
const event = (name: string, data: object) =>
  timelineOf({ name, data, timestamp: at } as unknown as NamedEvent, new Map([['db', 'Database']]))
    ?.text;

it('takes into the timeline what belongs to the incident', () => {
  expect(event('lifecycle.started', { user_message: 'Slow.' })).toBe('the diagnosis began: Slow.');
  const message = 'An alert is firing. Find the cause.\n- {"alert":"Slow"}';
  expect(event('lifecycle.started', { user_message: message })).toBe(
    'the diagnosis began: An alert is firing. Find the cause.',
  );
  expect(event('system.warning', { code: 'ALERT_FIRING', message: 'An alert' })).toBe('An alert');
  expect(event('system.warning', { code: 'LIMIT_WARNING', message: 'x' })).toBeUndefined();
  const result = { status: 'failed', summary: 'refused' };
  expect(event('llm.tool_result', { tool: 'tcp_probe', node: 'db', result })).toBe(
    'tcp_probe of Database: refused',
  );
  expect(event('llm.tool_result', { tool: 'tcp_probe', node: 'api', result })).toBe(
    'tcp_probe of api: refused',
  );
  for (const other of [{ status: 'ok', summary: 'fine' }, null, 'text'])
    expect(event('llm.tool_result', { tool: 't', node: 'db', result: other })).toBeUndefined();
  expect(event('llm.stream', { content: 'x' })).toBeUndefined();
});

it('writes a draft with the known parts, and headings for people', () => {
  const outcome = outcomeWith(reportOf());
  const draft = renderPostmortem(outcome, textOf(outcome, undefined), [{ at, text: 'it *began*' }]);
  expect([...draft.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title)).toEqual([
    'Postmortem: Shop, 2026-11-22',
    'Summary',
    'Timeline',
    'Root causes',
    'Findings',
    'Not checked',
    'Proposed steps',
    'Impact on users',
    'What was done',
    'What went well, what did not',
    'Actions',
  ]);
  expect(draft).toContain(`- ${at}: it \\*began\\*\n`);
});

it('tells what was measured several times once', () => {
  const outcome = outcomeWith(reportOf());
  const later = '2026-11-22T12:00:07.000Z';
  const timeline = [at, at, later].map((each) => ({ at: each, text: 'tcp_probe of db: refused' }));
  const draft = renderPostmortem(outcome, textOf(outcome, undefined), timeline);
  expect(draft).toContain(`- ${at}: tcp_probe of db: refused (3 times, last at ${later})\n`);
  expect(draft.match(/refused \(3/g)).toHaveLength(1);
});

const alert = (name: string, more: Partial<Alert> = {}): Alert => ({
  fingerprint: name,
  status: 'firing',
  name,
  labels: {},
  annotations: {},
  startsAt: '2026-11-22T12:50:00+01:00',
  ...more,
});

it('tells in the order of time when alerts began and ended, also after the diagnosis', () => {
  const outcome = outcomeWith(reportOf());
  const timeline = [
    { at, text: 'the diagnosis began' },
    ...alertLines([alert('Slow', { status: 'resolved', endsAt: '2026-11-22T13:00:00Z' })]),
  ];
  const draft = renderPostmortem(outcome, textOf(outcome, undefined), timeline);
  expect(draft).toContain(
    [
      '- 2026-11-22T11:50:00.000Z: the alert began: Slow',
      `- ${at}: the diagnosis began`,
      '- 2026-11-22T13:00:00.000Z: the alert ended: Slow\n',
    ].join('\n'),
  );
});

it('leaves out times that a sender does not give, and most alerts of a storm', () => {
  expect(alertLines([alert('a', { startsAt: '' }), alert('b', { startsAt: 'soon' })])).toEqual([]);
  const storm = Array.from({ length: 400 }, (_, i) => alert(`a${i}`));
  expect(alertLines(storm)).toHaveLength(10);
});

it('is bounded, and keeps the end of a long timeline', () => {
  const outcome = outcomeWith(hugeReport());
  const timeline = Array.from({ length: 900 }, (_, i) => ({ at, text: `line ${i} <b>` }));
  const draft = renderPostmortem(outcome, textOf(outcome, undefined), timeline);
  expect(draft.length).toBeLessThan(60_000);
  expect(draft).toContain('- and 850 more\n');
  expect(draft).toContain('line 899');
  expect(draft).not.toContain('<b>\n');
});
