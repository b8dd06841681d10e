import { describe, expect, it } from '@jest/globals';
import type { Finding } from '../../domain/diagnosis/finding.js';
import { planGlobalSupervisor } from './plan-global-supervisor.js';
import { teamsToSend, type GlobalBrief } from './teams-to-send.js';
import type { ToolAnswer } from './plan.js';

const node = (id: string, ...dependsOn: string[]) => ({
  id,
  name: `${id} service`,
  kind: 'service',
  dependsOn,
});
const brief = (userMessage: string): GlobalBrief => ({
  role: 'global_supervisor',
  userMessage,
  nodes: [node('web', 'api'), node('api', 'db'), node('db'), node('mail')],
  teams: [
    { name: 'Front', nodes: ['web'], tools: [] },
    { name: 'Back', nodes: ['api', 'db'], tools: [] },
    { name: 'Post', nodes: ['mail'], tools: [] },
  ],
  firstLook: [],
});
const answer = (
  team: string,
  findings: Partial<Finding>[] = [],
  unchecked: { node: string; reason: string }[] = [],
): ToolAnswer => ({
  id: `t-${team}`,
  tool: 'dispatch_team',
  args: { team },
  output: { status: 'ok', reasons: [], summary: '', findings, unchecked },
  failed: false,
});
const down: Partial<Finding> = {
  node: 'mail',
  severity: 'critical',
  symptom: 'unreachable',
  title: 'connection refused',
  detail: '',
  evidence: [9],
};

describe('repairs', () => {
  const restart = (name: string) => ({ tool: 'restart_process', args: { node: name } });
  const asked = (id: string, failed: boolean): ToolAnswer => ({
    id: `t-${id}`,
    ...restart(id),
    output: {},
    failed,
  });
  const repairing = { ...brief('Mail is down'), repairs: [restart('mail'), restart('db')] };

  it('proposes a repair of the root cause, once, and then concludes', () => {
    const plan = planGlobalSupervisor(repairing, [answer('Post', [down])]);
    expect(plan.calls).toEqual([restart('mail')]);
    for (const failed of [false, true]) {
      const next = planGlobalSupervisor(repairing, [answer('Post', [down]), asked('mail', failed)]);
      expect(next.calls.map(({ tool }) => tool)).toEqual(['report']);
    }
  });

  it('proposes none that a restart does not cure', () => {
    const expired = { ...down, symptom: 'invalid' as const, title: 'certificate has expired' };
    const plan = planGlobalSupervisor(repairing, [answer('Post', [expired])]);
    expect(plan.calls.map(({ tool }) => tool)).toEqual(['report']);
  });
});

describe('teamsToSend', () => {
  it.each([
    ['returns all teams if no node is named', 'Something is wrong.', ['Front', 'Back', 'Post']],
    [
      'returns the teams of a named node and of its dependencies',
      'the WEB is slow',
      ['Front', 'Back'],
    ],
    ['returns a named team', 'Look at Post, please', ['Post']],
    ['ignores a name within a word', 'webinars are slow', ['Front', 'Back', 'Post']],
    ['reads on after a name within a word', 'webinars: web.', ['Front', 'Back']],
    ['ignores a name before a letter beyond 16 bits', 'web\u{1D400}', ['Front', 'Back', 'Post']],
  ])('%s', (_, message, teams) => expect(teamsToSend(brief(message))).toEqual(teams));
});

describe('the global supervisor', () => {
  const called = (answers: ToolAnswer[], message = 'mail is late') =>
    planGlobalSupervisor(brief(message), answers).calls;

  it('asks for the telemetry again if it could not be read in time, at most three times', () => {
    const observed = {
      ...brief('mail is late'),
      firstLook: [{ tool: 'rank_root_causes', args: {} }],
    };
    const late: ToolAnswer = {
      id: 't1',
      tool: 'rank_root_causes',
      args: { node: 'web' },
      failed: true,
      output: { error: 'no result within 30 s' },
    };
    const tools = (answers: ToolAnswer[]) =>
      planGlobalSupervisor(observed, answers).calls.map(({ tool }) => tool);
    expect(tools([late])).toEqual(['rank_root_causes']);
    expect(tools([late, late])).toEqual(['rank_root_causes']);
    expect(tools([late, late, late])).toEqual(['dispatch_team']);
  });

  it('asks the teams at once if no telemetry can be read', () => {
    const looked = { ...brief('mail'), firstLook: [{ tool: 'rank_root_causes', args: {} }] };
    const refused: ToolAnswer = {
      id: 't1',
      tool: 'rank_root_causes',
      args: { node: 'web' },
      failed: true,
      output: {
        error: 'prom: the credential has no right to read (status 403)',
        code: 'FORBIDDEN',
      },
    };
    expect(planGlobalSupervisor(looked, [refused]).calls.map(({ tool }) => tool)).toEqual([
      'dispatch_team',
    ]);
  });

  it('dispatches the teams of the suspects and of what these depend on', () => {
    const looked = { ...brief('slow'), firstLook: [{ tool: 'rank_root_causes', args: {} }] };
    const evidence = { score: 3, confidence: 0.7, for: ['errors surge'], against: [] };
    const ranking: ToolAnswer = {
      id: 't1',
      tool: 'rank_root_causes',
      args: {},
      failed: false,
      output: {
        summary: 'web is suspected',
        measurements: { causes: [{ node: 'web', title: 'fails', ...evidence }] },
      },
    };
    expect(planGlobalSupervisor(looked, [ranking]).calls.map(({ args }) => args['team'])).toEqual([
      'Front',
      'Back',
    ]);
  });

  it('asks the other teams, too, if the message names no node', () => {
    const suspected = { ...brief('slow'), firstLook: [{ tool: 'rank_root_causes', args: {} }] };
    const evidence = { score: 3, confidence: 0.7, for: ['errors surge'], against: [] };
    const ranking: ToolAnswer = {
      id: 't1',
      tool: 'rank_root_causes',
      args: {},
      failed: false,
      output: {
        summary: 'mail is suspected',
        measurements: { causes: [{ node: 'mail', title: 'fails', ...evidence }] },
      },
    };
    const answers = [ranking, answer('Post', [down])];
    const teamsOf = (looked: GlobalBrief) =>
      planGlobalSupervisor(looked, answers).calls.map(({ args }) => args['team']);
    expect(teamsOf(suspected)).toEqual(['Front', 'Back']);
    expect(teamsOf({ ...suspected, userMessage: 'mail is late' })).toEqual([undefined]);
  });

  it('asks the other teams too where an alert is the only evidence, and reports no cause', () => {
    const looked = { ...brief('slow'), firstLook: [{ tool: 'rank_root_causes', args: {} }] };
    const cause = { node: 'mail', title: 'an alert is about it', score: 1, confidence: 0.4 };
    const ranking: ToolAnswer = {
      id: 't1',
      tool: 'rank_root_causes',
      args: {},
      failed: false,
      output: {
        summary: 'no root cause',
        measurements: { causes: [{ ...cause, alertOnly: true, for: [], against: [] }] },
      },
    };
    const first = planGlobalSupervisor(looked, [ranking]);
    expect(first.reasoning).toBe('Nothing but an alert points at mail service: Post looks closer.');
    const next = planGlobalSupervisor(looked, [ranking, answer('Post')]);
    expect(next.calls.map(({ args }) => args['team'])).toEqual(['Front', 'Back']);
    const all = [ranking, ...['Post', 'Front', 'Back'].map((team) => answer(team))];
    expect(planGlobalSupervisor(looked, all).calls).toMatchObject([
      { tool: 'report', args: { findings: [{ node: 'mail', severity: 'warning' }] } },
    ]);
  });

  it('dispatches the teams of the message first', () => {
    expect(called([]).map((call) => [call.tool, call.args['team']])).toEqual([
      ['dispatch_team', 'Post'],
    ]);
  });

  it('dispatches the other teams if the first found no cause', () => {
    expect(called([answer('Post')]).map((call) => call.args['team'])).toEqual(['Front', 'Back']);
  });

  it('concludes as soon as there is a cause', () => {
    const [report] = called([answer('Post', [down])]);
    expect(report).toMatchObject({
      tool: 'report',
      args: { root_causes: [{ node: 'mail', evidence: [9] }] },
    });
  });

  it('concludes after all teams were asked', () => {
    const [report] = called([answer('Post'), answer('Front'), answer('Back')]);
    expect(report).toMatchObject({
      tool: 'report',
      args: { root_causes: [], summary: 'All checked nodes are healthy.' },
    });
  });

  it.each<[string, { node: string; reason: string }[], string]>([
    ['that nothing is failing if all was checked', [], 'Nothing is failing.'],
    [
      'that not everything was checked, also beside a finding',
      [{ node: 'db', reason: 'EGRESS_DENIED' }],
      'No failure was found, but not all nodes could be checked.',
    ],
  ])('says %s', (_, unchecked, summary) => {
    const note = {
      ...down,
      severity: 'info' as const,
      symptom: 'advisory' as const,
      title: 'a note',
    };
    const answers = ['Front', 'Back', 'Post'].map((team) => answer(team, [note], unchecked));
    const plan = planGlobalSupervisor(brief('Something is wrong.'), answers);
    expect([plan.calls[0]?.tool, plan.text]).toEqual(['report', summary]);
  });

  it('does not retry a team that could not be dispatched', () => {
    const refused: ToolAnswer = { ...answer('Front'), failed: true, output: null };
    expect(called([answer('Post'), refused, answer('Back')])[0]?.tool).toBe('report');
  });
});

describe('a limit of calls in a turn', () => {
  const teams = ['Front', 'Back', 'Post'];
  const sent = (answers: ToolAnswer[]) =>
    planGlobalSupervisor(brief('Something is wrong'), answers, 2).calls.map(
      ({ tool, args }) => args['team'] ?? tool,
    );

  it('is kept: the other teams are asked in the next turn, also if a cause was found', () => {
    expect(sent([])).toEqual(teams.slice(0, 2));
    const asked = [answer('Front', [{ ...down, node: 'web' }]), answer('Back')];
    expect(sent(asked)).toEqual(['Post']);
    expect(sent([...asked, answer('Post')])).toEqual(['report']);
  });

  it('does not send a team again that could not be dispatched', () => {
    const refused = { ...answer('Post'), output: 'no', failed: true };
    expect(sent([answer('Front'), answer('Back'), refused])).toEqual(['report']);
  });
});

it('fits its report into a call, also if a thousand nodes fail, with the root cause first', () => {
  const nodes = Array.from({ length: 1_000 }, (_, i) =>
    node(`n${i}`, ...(i < 999 ? [`n${i + 1}`] : [])),
  );
  const chain = {
    ...brief('Something is wrong'),
    nodes,
    teams: [{ name: 'All', nodes: nodes.map(({ id }) => id), tools: [] }],
  };
  const findings = nodes.map(({ id }, i) => ({ ...down, node: id, evidence: [i + 1] }));
  const { calls, text } = planGlobalSupervisor(chain, [answer('All', findings)]);
  const [report] = calls;
  expect(JSON.stringify(report?.args).length).toBeLessThan(60_000);
  expect(report?.args).toMatchObject({
    root_causes: [{ node: 'n999' }],
    findings: expect.arrayContaining([expect.objectContaining({ node: 'n999' })]),
  });
  expect(text).toContain('and 994 more are affected by it');
});
