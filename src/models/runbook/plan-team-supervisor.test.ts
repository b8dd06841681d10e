import { expect, it } from '@jest/globals';
import { planTeamSupervisor } from './plan-team-supervisor.js';
import { nothingRecorded } from './plan-worker.js';
import type { ToolAnswer } from './plan.js';

const names = Array.from({ length: 5 }, (_, i) => `n${i}`);
const brief = {
  role: 'team_supervisor' as const,
  team: 'Shop',
  nodes: names.map((id) => ({ id, name: id, kind: 'service', dependsOn: [] })),
  workers: names.map((node) => ({ name: `${node} worker`, node, tools: [] })),
};
const answer = (worker: string, status = 'ok'): ToolAnswer => ({
  id: worker,
  tool: 'dispatch_worker',
  args: { worker },
  failed: false,
  output: { status, reasons: [], summary: '', findings: [] },
});
const sent = (answers: ToolAnswer[], most?: number) =>
  planTeamSupervisor(brief, answers, most).calls.map(({ tool, args }) => args['worker'] ?? tool);
const workers = brief.workers.map(({ name }) => name);

it('sends all workers at once, then reports', () => {
  expect(sent([])).toEqual(workers);
  expect(sent(workers.map((name) => answer(name)))).toEqual(['report']);
});

it('says which nodes could not be measured, and nothing good of them', () => {
  const open = (worker: string, node: string): ToolAnswer => ({
    ...answer(worker),
    output: {
      status: 'ok',
      reasons: [],
      summary: '',
      findings: [],
      unchecked: [{ node, reason: 'FORBIDDEN' }],
    },
  });
  const summaryOf = (answers: ToolAnswer[]) => planTeamSupervisor(brief, answers).text;
  const well = workers.map((name) => answer(name));
  expect(summaryOf(well)).toBe('Shop: nothing wrong with n0, n1, n2, n3 and n4.');
  const failed = [...workers, ...workers].map((name) => answer(name, 'failed'));
  expect(summaryOf(failed)).toBe('Shop: n0, n1, n2, n3 and n4 could not be measured.');
  expect(summaryOf([open('n0 worker', 'n0'), ...well.slice(1)])).toBe(
    'Shop: nothing wrong with n1, n2, n3 and n4; n0 could not be measured.',
  );
  // The second attempt counts.
  const again = [answer('n0 worker', 'failed'), ...well.slice(1), answer('n0 worker')];
  expect(summaryOf(again)).toBe('Shop: nothing wrong with n0, n1, n2, n3 and n4.');
});

it('says nothing good of nodes of which nothing was recorded, or with something to note', () => {
  const report = (worker: string, summary: string, findings: object[] = []): ToolAnswer => ({
    ...answer(worker),
    output: { status: 'ok', reasons: [], summary, findings } as unknown as ToolAnswer['output'],
  });
  const finding = { node: 'n1', severity: 'info', title: 'a new error', evidence: [1] };
  const answers = [
    report('n0 worker', nothingRecorded('n0')),
    report('n1 worker', 'n1: 1 new error', [finding]),
    ...workers.slice(2).map((name) => answer(name)),
  ];
  expect(planTeamSupervisor(brief, answers).text).toBe(
    'Shop: something to note at n1; nothing wrong with n2, n3 and n4; n0 could not be measured.',
  );
});

it('keeps a limit of calls in a turn, and sends each worker once', () => {
  const done: ToolAnswer[] = [];
  const turns: unknown[] = [];
  for (let turn = sent(done, 2); turn[0] !== 'report'; turn = sent(done, 2)) {
    turns.push(turn);
    done.push(...turn.map((name) => answer(name as string)));
  }
  expect(turns).toEqual([workers.slice(0, 2), workers.slice(2, 4), workers.slice(4)]);
});

it('sends a worker without a measurement once more, within the limit', () => {
  const failed = workers.map((name) => answer(name, 'failed'));
  expect(sent(failed, 3)).toEqual(workers.slice(0, 3));
  const again = [...failed, ...workers.slice(0, 3).map((name) => answer(name, 'failed'))];
  expect(sent(again, 3)).toEqual(workers.slice(3));
});

it('does not send a worker again that could not be dispatched', () => {
  const refused = workers.map((name) => ({ ...answer(name), output: 'no', failed: true }));
  expect(sent(refused)).toEqual(['report']);
});

it('reports without a report that was cut to a text', () => {
  const cut = { ...answer('n0 worker'), output: '{"status":"ok","reas' };
  expect(sent([cut, ...workers.slice(1).map((name) => answer(name))])).toEqual(['report']);
});
