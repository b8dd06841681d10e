import { describe, expect, it } from '@jest/globals';
import { SMALL_TOPOLOGY } from '../../../test/support/models/agent-session.js';
import {
  CONTROL_TOOLS,
  dispatchTeam,
  dispatchWorker,
  findTeam,
  findWorker,
  isControlTool,
  reportTool,
} from './control-tools.js';

const properties = ({ schema }: { schema: unknown }) =>
  (schema as { properties: Record<string, { enum?: string[] }> }).properties;

describe('the report tool', () => {
  it('offers root causes only to the agent at the top', () => {
    expect(properties(reportTool('top'))).toHaveProperty('root_causes');
    expect(properties(reportTool('below'))).not.toHaveProperty('root_causes');
  });

  it('needs no more than a summary', () => {
    expect(CONTROL_TOOLS.report.parse({ summary: 'Well.' })).toEqual({
      status: 'ok',
      summary: 'Well.',
      findings: [],
      root_causes: [],
      dismissed: [],
      next_steps: [],
    });
  });

  it.each([
    ['without evidence', { evidence: [] }],
    ['of an unknown severity', { severity: 'bad' }],
    ['without a title', { title: '' }],
  ])('refuses a finding %s', (_, fault) => {
    const finding = { node: 'db', severity: 'critical', title: 'is full', evidence: ['t1'] };
    const given = (more: object) => ({ summary: '', findings: [{ ...finding, ...more }] });
    expect(CONTROL_TOOLS.report.safeParse(given({})).success).toBe(true);
    expect(CONTROL_TOOLS.report.safeParse(given(fault)).success).toBe(false);
  });
});

describe('the dispatch tools', () => {
  it('name each team and each worker once', () => {
    expect(properties(dispatchTeam(SMALL_TOPOLOGY))['team']?.enum).toEqual(['Team']);
    const twins = [{ name: 'A' }, { name: 'B' }, { name: 'A' }];
    expect(properties(dispatchWorker(twins))['worker']?.enum).toEqual(['A', 'B']);
  });

  it('name none if there is none: an empty list is no valid schema', () => {
    expect(properties(dispatchWorker([]))['worker']).not.toHaveProperty('enum');
  });

  it.each([
    [findTeam(SMALL_TOPOLOGY, 'Team'), { agentId: '2', name: 'Team' }],
    [findTeam(SMALL_TOPOLOGY, 'team'), { fault: 'There is no team "team". Teams: Team' }],
    [findWorker(SMALL_TOPOLOGY, 'Team', 'Db worker'), { agentId: '4', name: 'Db worker' }],
    [
      findWorker(SMALL_TOPOLOGY, 'Team', 'Db'),
      { fault: 'There is no worker "Db" in this team. Workers: Web worker, Db worker' },
    ],
    [
      findWorker(SMALL_TOPOLOGY, 'Other', 'Db worker'),
      { fault: 'There is no worker "Db worker" in this team. Workers: ' },
    ],
  ])('find their target or say which there are: %j', (found, expected) => {
    expect(found).toEqual(expected);
  });
});

it.each([
  ['report', true],
  ['dispatch_team', true],
  ['http_probe', false],
  ['toString', false],
])('recognises control tools: %s', (name, is) => expect(isControlTool(name)).toBe(is));
