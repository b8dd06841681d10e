import { describe, expect, it } from '@jest/globals';
import {
  ALL_WELL,
  issue,
  measured,
  report,
  SHOP,
} from '../../../../test/support/incidents/measured-shop.js';
import type { AgentReport } from '../agent-report.js';
import { concludeRun } from '../conclude-run.js';
import type { Measurement } from '../measurement.js';

const [, ...OTHERS] = ALL_WELL;
const conclude = (web: Measurement[], reports: AgentReport[] = [], topology = SHOP) =>
  concludeRun(topology, [...web, ...OTHERS], reports).report;
describe('a node that was not measured', () => {
  it('names the results that say so, and none if there are none', () => {
    const of = (web: Measurement[]) =>
      conclude(web, [report([], { agentId: '3' })]).unchecked[0]?.evidence;
    expect(of([measured(4, 'web', [], { status: 'unavailable' })])).toEqual([4]);
    expect(of([measured(4, 'web', [], { tool: 'log_search' })])).toEqual([4]);
    expect(of([])).toBeUndefined();
  });

  it.each<[string, Measurement[], AgentReport[], string]>([
    ['its agent failed', [], [report([], { agentId: '3', status: 'failed' })], 'AGENT_FAILED'],
    [
      'a tool failed',
      [measured(4, 'web', [], { status: 'unavailable' })],
      [],
      'SOURCE_UNAVAILABLE',
    ],
    ['a tool was denied', [measured(4, 'web', [], { status: 'denied' })], [], 'FORBIDDEN'],
    ['its worker measured nothing', [], [report([], { agentId: '3' })], 'NOT_MEASURED'],
    [
      'a tool gave its own code',
      [measured(4, 'web', [], { status: 'unavailable', code: 'NODE_QUARANTINED' })],
      [],
      'NODE_QUARANTINED',
    ],
  ])('is unchecked, with the reason: %s', (_, web, reports, reason) => {
    expect(conclude(web, reports).unchecked).toMatchObject([{ node: 'web', reason }]);
  });

  it('names the source that could not be read, and not the one that holds nothing about it', () => {
    const none = { status: 'unavailable', code: 'NOT_RECORDED' } as const;
    const refused = { status: 'unavailable', code: 'FORBIDDEN' } as const;
    for (const [of, other] of [
      ['kubernetes_check', 'log_patterns'],
      ['log_patterns', 'kubernetes_check'],
    ] as const) {
      const web = [
        measured(4, 'web', [], { ...refused, tool: of }),
        measured(7, 'web', [], { ...none, tool: other }),
      ];
      expect(conclude(web).unchecked).toMatchObject([{ node: 'web', reason: 'FORBIDDEN' }]);
    }
  });

  it('was not asked for if the run was asked to look at other nodes', () => {
    const asked = (scope: string[]) => conclude([], [], { ...SHOP, scope }).unchecked;
    expect(asked(['api', 'db'])).toEqual([
      {
        node: 'web',
        reason: 'NOT_ASKED',
        detail: 'The run was asked to look at other nodes.',
      },
    ]);
    expect(asked(['web'])).toMatchObject([{ node: 'web', reason: 'NOT_MEASURED' }]);
  });

  it('says what it lacks if no tool can measure it: an endpoint or a source, or a kind with tools', () => {
    const of = (kind: string) => {
      const nodes = SHOP.nodes.map((node) => (node.id === 'web' ? { ...node, kind } : node));
      const workers = (all: typeof SHOP.teams) =>
        all.map((team) => ({ ...team, workers: team.workers.filter((w) => w.node !== 'web') }));
      return conclude([], [], { ...SHOP, nodes, teams: workers(SHOP.teams) }).unchecked;
    };
    const needs =
      'No tool can measure it as it is written: kind elasticsearch needs an endpoint that fits it, or a source.';
    expect(of('elasticsearch')).toEqual([{ node: 'web', reason: 'NO_TOOL', detail: needs }]);
    const none = 'No tool measures nodes of kind toaster.';
    expect(of('toaster')).toEqual([{ node: 'web', reason: 'NO_TOOL', detail: none }]);
    const [team] = SHOP.teams;
    const idle = { agentId: '3', name: 'Web', node: 'web', tools: [] };
    const teams = team ? [{ ...team, workers: [idle, ...team.workers.slice(1)] }] : [];
    const sent = [report([], { agentId: '3' })];
    expect(conclude([], sent, { ...SHOP, teams }).unchecked).toMatchObject([
      { node: 'web', reason: 'NO_TOOL' },
    ]);
  });

  it.each(['log_search', 'recent_changes'])(
    'C6: is not checked by %s, which only reads',
    (tool) => {
      const made = conclude([measured(4, 'web', [], { tool })]);
      expect(made.unchecked).toMatchObject([{ node: 'web', reason: 'NOT_MEASURED' }]);
      expect(made.nodes[0]).toEqual({ node: 'web', state: 'unknown' });
      expect(made.verdict).toBe('inconclusive');
    },
  );

  it('is not checked by an Alertmanager at which no alert fires, and is by one that does', () => {
    const alerts = (issues: Measurement['issues']) =>
      conclude([
        measured(4, 'web', issues, {
          tool: 'alertmanager_alerts',
          measures: 'records',
        }),
      ]);
    const quiet = alerts([]);
    expect(quiet.verdict).toBe('inconclusive');
    expect(quiet.unchecked).toMatchObject([{ node: 'web', reason: 'NOT_MEASURED' }]);
    expect(quiet.nodes[0]).toEqual({ node: 'web', state: 'unknown' });
    const loud = alerts([issue({ severity: 'warning', title: 'alert Errors fires', alert: true })]);
    expect(loud.unchecked).toEqual([]);
    expect(loud.nodes[0]).toEqual({ node: 'web', state: 'degraded' });
    // An alert alone makes no node a cause.
    expect(loud).toMatchObject({ verdict: 'issues_found', root_causes: [] });
  });

  it('is not checked by a failure of the whole system', () => {
    const outage = measured(4, 'web', [issue()], { tool: 'status_pages', measures: 'system' });
    expect(conclude([outage]).unchecked).toMatchObject([{ node: 'web', reason: 'NOT_MEASURED' }]);
  });

  it('is unchecked where only its port accepts, and the tool that was to measure it failed', () => {
    const probed = measured(4, 'web', [], { tool: 'tcp_probe' });
    const late = measured(5, 'web', [], { status: 'unavailable', summary: 'no result' });
    expect(conclude([probed, late]).unchecked).toMatchObject([
      { node: 'web', reason: 'SOURCE_UNAVAILABLE' },
    ]);
    const none = { ...late, code: 'NOT_RECORDED' };
    expect(conclude([probed, none]).unchecked).toMatchObject([
      { node: 'web', reason: 'NOT_RECORDED' },
    ]);
  });

  it('is unchecked where its time could not be measured reliably, though its port accepts', () => {
    const slow = issue({ symptom: 'slow', title: 'no answer within 10000 ms', took_ms: 10_000 });
    const lagging = measured(4, 'web', [slow], { unreliable: true });
    const touched = measured(7, 'web', [], { tool: 'tcp_probe' });
    expect(conclude([lagging, touched]).unchecked).toMatchObject([
      { node: 'web', reason: 'UNRELIABLE' },
    ]);
    expect(conclude([lagging, touched, measured(8, 'web')]).verdict).toBe('healthy');
    const paged = measured(7, 'web', [], { tool: 'prometheus_metrics' });
    expect(conclude([lagging, paged]).unchecked).toEqual([
      {
        node: 'web',
        reason: 'UNRELIABLE',
        evidence: [4],
        detail: 'The prober was short of processor time when it measured the node.',
      },
    ]);
  });
});
