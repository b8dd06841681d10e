import { describe, expect, it } from '@jest/globals';
import {
  ALL_WELL,
  issue,
  measured,
  report,
  SHOP,
} from '../../../test/support/incidents/measured-shop.js';
import { concludeRun } from './conclude-run.js';

describe('telemetry over time', () => {
  const observed = {
    ...SHOP,
    sources: [
      { id: 'r', kind: 'recording' as const, incident: 'x', provides: ['metrics' as const] },
    ],
  };
  const well = [report([], { summary: 'All is well.' })];

  it('that was not ranked does not make a run healthy', () => {
    const { report: made, incomplete } = concludeRun(observed, ALL_WELL, well);
    expect(made).toMatchObject({
      verdict: 'inconclusive',
      headline: 'Nothing wrong was measured, but the telemetry was not ranked over all nodes.',
    });
    expect(incomplete).toBe(false);
    const cut = [...well, report([], { agentId: '3', status: 'partial', reasons: ['TIME_LIMIT'] })];
    expect(concludeRun(observed, ALL_WELL, cut).report.headline).toBe(
      'Nothing wrong was measured, but not every agent could finish its work.',
    );
  });

  it('that was ranked without a suspect is healthy', () => {
    const ranked = { ...measured(9, 'web'), ranking: { causes: [], rejected: [] } };
    expect(concludeRun(observed, [...ALL_WELL, ranked], well).report.verdict).toBe('healthy');
  });

  const rankedWith = (sequence: number, more: object) => ({
    ...measured(sequence, 'web'),
    ranking: { causes: [], rejected: [], ...more },
  });
  const gap = { telemetry: 'logs', reason: 'the server answers 401', forbidden: true };

  it.each<[string, object, string[], string]>([
    ['of one node', { gaps: [{ ...gap, nodes: ['api'] }] }, ['api'], 'FORBIDDEN'],
    [
      'of all nodes that have it',
      { gaps: [{ ...gap, telemetry: 'metrics', forbidden: false }] },
      ['web', 'api', 'db'],
      'SOURCE_UNAVAILABLE',
    ],
    [
      'as logs of earlier versions say it',
      { unread: ['metrics: the server answers 503'] },
      ['web', 'api', 'db'],
      'SOURCE_UNAVAILABLE',
    ],
  ])(
    'C6: that the ranking could not read is not healthy, though no agent asked for it: %s',
    (_, unread, nodes, reason) => {
      const all = [...ALL_WELL, rankedWith(9, unread)];
      const { report: made } = concludeRun(observed, all, well);
      expect(made.verdict).toBe('inconclusive');
      expect(made.unchecked.map((each) => [each.node, each.reason])).toEqual(
        nodes.map((node) => [node, reason]),
      );
      expect(made.unchecked[0]?.detail).toMatch(/^Its \w+ could not be read: the server answers/);
      const later = [...all, rankedWith(10, {})];
      expect(concludeRun(observed, later, well).report.verdict).toBe('healthy');
    },
  );

  it('hides no failure, and what changed is no sign of health', () => {
    const gaps = { gaps: [{ ...gap, nodes: ['web', 'api', 'db'] }] };
    const failing = [measured(4, 'web', [issue()]), ...ALL_WELL.slice(1), rankedWith(9, gaps)];
    const { unchecked, verdict } = concludeRun(observed, failing, well).report;
    expect([unchecked.map(({ node }) => node), verdict]).toEqual([
      ['api', 'db'],
      'root_cause_found',
    ]);
    const changes = rankedWith(9, { gaps: [{ ...gap, telemetry: 'changes', nodes: ['web'] }] });
    const { report: made } = concludeRun(observed, [...ALL_WELL, changes], well);
    expect(made.verdict).toBe('healthy');
    expect(made.next_steps).toMatchObject([
      {
        text: expect.stringMatching(
          /^Let the diagnosis read what was changed at WEB, .*: the server answers/,
        ) as unknown,
        nodes: ['web'],
        evidence: [9],
      },
    ]);
  });
});
