import { expect, it } from '@jest/globals';
import { SMALL_TOPOLOGY } from '../../test/support/models/agent-session.js';
import type { Topology } from '../domain/topology/topology.js';
import { modelFaults } from './model-faults.js';

const { globalSupervisor, teams } = SMALL_TOPOLOGY;
const [team] = teams;
if (!team) throw new Error('no team');
const worker = team.workers[1];
if (!worker) throw new Error('no second worker');

const withWorker = (model: string): Topology => ({
  ...SMALL_TOPOLOGY,
  teams: [{ ...team, workers: [...team.workers.slice(0, 1), { ...worker, model }] }],
});

it.each<[string, Topology]>([
  [
    'globalSupervisor',
    { ...SMALL_TOPOLOGY, globalSupervisor: { ...globalSupervisor, model: 'x' } },
  ],
  [
    'teams[0].supervisor',
    { ...SMALL_TOPOLOGY, teams: [{ ...team, supervisor: { ...team.supervisor, model: 'x' } }] },
  ],
  ['teams[0].workers[1]', withWorker('x')],
])('names the agent %s whose model is unknown', (path, topology) => {
  expect(modelFaults(topology, ['runbook', 'large'])).toEqual([
    { path: `${path}.model`, message: 'unknown model "x": allowed: runbook, large' },
  ]);
});

it('suggests a similar name', () => {
  const [fault] = modelFaults(withWorker('lagre'), ['runbook', 'large']);
  expect(fault?.message).toContain('did you mean "large"?');
});

it('accepts agents with a known model, and without one', () => {
  expect(modelFaults(withWorker('large'), ['large'])).toEqual([]);
  expect(modelFaults(SMALL_TOPOLOGY, [])).toEqual([]);
});
