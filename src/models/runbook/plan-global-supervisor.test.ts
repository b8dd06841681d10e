import { describe, expect, it } from '@jest/globals';
import type { Brief } from '../../domain/diagnosis/brief.js';
import type { Finding } from '../../domain/diagnosis/finding.js';
import { planGlobalSupervisor, teamsToSend } from './plan-global-supervisor.js';
import type { Answer } from './plan.js';

const node = (id: string, ...dependsOn: string[]) => ({
  id,
  name: `${id} service`,
  kind: 'service',
  dependsOn,
});
const brief = (userMessage: string): Extract<Brief, { role: 'global_supervisor' }> => ({
  role: 'global_supervisor',
  userMessage,
  nodes: [node('web', 'api'), node('api', 'db'), node('db'), node('mail')],
  teams: [
    { name: 'Front', nodes: ['web'] },
    { name: 'Back', nodes: ['api', 'db'] },
    { name: 'Post', nodes: ['mail'] },
  ],
  firstLook: [],
});
const answer = (team: string, findings: Partial<Finding>[] = []): Answer => ({
  id: `t-${team}`,
  tool: 'dispatch_team',
  args: { team },
  output: { status: 'ok', reasons: [], summary: '', findings, unchecked: [] },
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

describe('whom to send', () => {
  it.each([
    ['everybody when nothing is named', 'Something is wrong.', ['Front', 'Back', 'Post']],
    ['those of a named node and of what it depends on', 'the WEB is slow', ['Front', 'Back']],
    ['a named team', 'Look at Post, please', ['Post']],
    ['nobody for a part of a word', 'webinars are slow', ['Front', 'Back', 'Post']],
  ])('%s', (_, message, teams) => expect(teamsToSend(brief(message))).toEqual(teams));
});

describe('the global supervisor', () => {
  const called = (answers: Answer[], message = 'mail is late') =>
    planGlobalSupervisor(brief(message), answers).calls;

  it('sends the teams that the message points at first', () => {
    expect(called([]).map((call) => [call.tool, call.args['team']])).toEqual([
      ['dispatch_team', 'Post'],
    ]);
  });

  it('sends the others when the first have found no cause', () => {
    expect(called([answer('Post')]).map((call) => call.args['team'])).toEqual(['Front', 'Back']);
  });

  it('concludes as soon as there is a cause', () => {
    const [report] = called([answer('Post', [down])]);
    expect(report).toMatchObject({
      tool: 'report',
      args: { root_causes: [{ node: 'mail', evidence: [9] }] },
    });
  });

  it('concludes when everybody has been asked', () => {
    const [report] = called([answer('Post'), answer('Front'), answer('Back')]);
    expect(report).toMatchObject({
      tool: 'report',
      args: { root_causes: [], summary: 'Everything that was looked at is healthy.' },
    });
  });

  it('does not ask again for a team that could not be sent', () => {
    const refused: Answer = { ...answer('Front'), failed: true, output: null };
    expect(called([answer('Post'), refused, answer('Back')])[0]?.tool).toBe('report');
  });
});
