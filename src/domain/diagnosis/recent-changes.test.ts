import { expect, test } from '@jest/globals';
import { issue, measured, SHOP } from '../../../test/support/incidents/measured-shop.js';
import { concludeRun } from './conclude-run.js';

const recent = [
  { change: 'c2', node: 'db', title: 'Raise the timeout', at: '2026-01-01T10:48:00Z' },
  { change: 'c1', node: 'web', title: 'Change a text', at: '2026-01-01T10:40:00Z' },
];
const refused = issue({ severity: 'critical', symptom: 'unreachable', title: 'refuses' });
interface Judged {
  rejected?: { node: string; title: string; reasons: string[] }[];
  /** Until when telemetry was read. */
  now?: string;
}
const conclude = ({ rejected = [], now }: Judged = {}) =>
  concludeRun(
    SHOP,
    [
      measured(5, 'db', [refused], { measures: 'service' }),
      measured(6, 'web', [], {
        tool: 'rank_root_causes',
        at: '2026-01-01T11:00:00Z',
        measures: 'system',
        ranking: { causes: [], rejected, recent, ...(now !== undefined && { now }) },
      }),
    ],
    [],
  ).report;

test('a change of a node that only probes show to fail is worth a look', () => {
  const { root_causes: causes, findings } = conclude();
  expect(causes.map(({ node }) => node)).toEqual(['db']);
  expect(findings.filter(({ severity }) => severity === 'info')).toMatchObject([
    {
      node: 'db',
      origin: 'measured',
      evidence: [6],
      title: 'changed 12 min before it was measured, which may be the cause: Raise the timeout',
    },
  ]);
});

test('counts from the end of a recording, and not from the time of the run', () => {
  const { findings } = conclude({ now: '2026-01-01T10:50:00Z' });
  expect(findings.map(({ title }) => title)).toContain(
    'changed 2 min before it was measured, which may be the cause: Raise the timeout',
  );
});

test('a change that the ranking has judged is named once', () => {
  const judged = {
    node: 'db',
    title: 'change c2 is not the cause: Raise the timeout',
    reasons: [],
  };
  expect(
    conclude({ rejected: [judged] }).findings.filter(({ title }) => title.includes('may be')),
  ).toEqual([]);
});
