import { expect, it } from '@jest/globals';
import { planTeamSupervisor } from './plan-team-supervisor.js';
import type { Answer } from './plan.js';

const names = Array.from({ length: 5 }, (_, i) => `n${i}`);
const brief = {
  role: 'team_supervisor' as const,
  team: 'Shop',
  nodes: names.map((id) => ({ id, name: id, kind: 'service', dependsOn: [] })),
  workers: names.map((node) => ({ name: `${node} worker`, node, tools: [] })),
};
const answer = (worker: string, status = 'ok'): Answer => ({
  ...{ id: worker, tool: 'dispatch_worker', args: { worker }, failed: false },
  output: { status, reasons: [], summary: '', findings: [] },
});
const sent = (answers: Answer[], most?: number) =>
  planTeamSupervisor(brief, answers, most).calls.map(({ tool, args }) => args['worker'] ?? tool);
const workers = brief.workers.map(({ name }) => name);

it('sends all workers at once, then reports', () => {
  expect(sent([])).toEqual(workers);
  expect(sent(workers.map((name) => answer(name)))).toEqual(['report']);
});

it('keeps a limit of calls in a turn, and sends each worker once', () => {
  const done: Answer[] = [];
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
