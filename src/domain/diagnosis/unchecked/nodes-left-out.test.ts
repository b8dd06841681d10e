import { describe, expect, it } from '@jest/globals';
import { issue, measured, report, SHOP } from '../../../../test/support/incidents/measured-shop.js';
import type { AgentReport } from '../agent-report.js';
import { currentMeasurements } from '../current-measurements.js';
import type { Measurement } from '../measurement.js';
import { nodesLeftOut } from './nodes-left-out.js';
import { uncheckedNodes } from './unchecked.js';

const leftOut = (all: Measurement[], reports: AgentReport[] = [], topology = SHOP) => {
  const current = currentMeasurements(all.filter(({ ranking }) => ranking === undefined));
  const unchecked = uncheckedNodes(topology, all, current, reports);
  return nodesLeftOut(topology, { all, current, unchecked });
};
const api = measured(5, 'api', [issue()]);

describe('A2, A3: the nodes that agents left out', () => {
  it('are first those that an unhealthy node depends on, then those that may fail by themselves', () => {
    expect(leftOut([api])).toEqual(['db', 'web']);
    expect(leftOut([measured(4, 'web', [issue()])])).toEqual(['api', 'db']);
    expect(leftOut([measured(6, 'db', [issue({ severity: 'warning' })])])).toEqual(['web', 'api']);
  });

  it('are all if nothing unhealthy was measured', () => {
    expect(leftOut([])).toEqual(['web', 'api', 'db']);
    expect(leftOut([measured(5, 'api')])).toEqual(['web', 'db']);
  });

  it('are not those that were tried, that no tool measures, whose agent failed, or that were not asked for', () => {
    expect(leftOut([api, measured(6, 'db', [], { status: 'unavailable' })])).toEqual(['web']);
    expect(leftOut([api], [report([], { agentId: '5', status: 'failed' })])).toEqual(['web']);
    expect(leftOut([api], [], { ...SHOP, scope: ['api'] })).toEqual([]);
    expect(leftOut([api], [], { ...SHOP, teams: [] })).toEqual([]);
  });

  it('are those that a node which the ranking suspects depends on', () => {
    const cause = { node: 'api', title: 'errors rise', kind: 'unknown' as const };
    const ranking = {
      causes: [{ ...cause, score: 1, confidence: 0.6, for: [], against: [] }],
      rejected: [],
    };
    const ranked = measured(3, 'web', [], { tool: 'rank_root_causes', ranking });
    expect(leftOut([ranked])).toEqual(['api', 'db', 'web']);
  });

  it('are at most 50, the nearest dependencies of unhealthy nodes first', () => {
    const nodes = Array.from({ length: 120 }, (_, i) => ({
      id: `n${i}`,
      name: `N${i}`,
      kind: 'tcp',
      attributes: {},
      dependsOn: i < 119 ? [`n${i + 1}`] : [],
    }));
    const workers = nodes.map(({ id }) => ({
      agentId: id,
      name: id,
      node: id,
      tools: ['tcp_probe'],
    }));
    const teams = SHOP.teams.map((team) => ({ ...team, workers }));
    const open = leftOut([measured(5, 'n9', [issue()])], [], { ...SHOP, nodes, teams });
    expect(open).toEqual(Array.from({ length: 50 }, (_, i) => `n${i + 10}`));
  });
});

it('a node whose first look the service has taken is checked, also if it has tools that need a reason', () => {
  const teams = SHOP.teams.map((team) => ({
    ...team,
    workers: team.workers.map((worker) => ({ ...worker, tools: [...worker.tools, 'log_search'] })),
  }));
  const looked = (byService?: true) =>
    ['web', 'api', 'db'].map((id, i) =>
      measured(i + 1, id, [], { ...(byService && { byService }) }),
    );
  const openAfter = (all: Measurement[]) =>
    uncheckedNodes({ ...SHOP, teams }, all, currentMeasurements(all), []).map(({ node }) => node);
  expect(openAfter(looked())).toEqual(['web', 'api', 'db']);
  expect(openAfter(looked(true))).toEqual([]);
});
