import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dispatchOf, jobIdOf, parentOf, roleOf, roleOfJob } from './job-ids.js';

const runId = fc.uuid();
const team = fc.integer({ min: 1, max: 99 }).map((n) => `d${n}`);
const worker = fc.tuple(team, fc.integer({ min: 1, max: 99 })).map(([id, n]) => `${id}_${n}`);

it('reads the dispatch and the role from the id of a job', () => {
  fc.assert(
    fc.property(runId, fc.oneof(team, worker), (run, dispatchId) => {
      const id = jobIdOf({ runId: run, dispatchId });
      expect([dispatchOf(id), roleOfJob(id)]).toEqual([dispatchId, roleOf(dispatchId)]);
      // BullMQ refuses them.
      expect(id).not.toMatch(/^\d+$|:/);
    }),
  );
});

it('reads the role of a top agent from the id of its job', () => {
  fc.assert(
    fc.property(
      runId,
      fc.constantFrom('global_supervisor' as const, 'oracle' as const),
      (run, top) => {
        const id = jobIdOf({ runId: run, dispatchId: null }, top);
        expect([dispatchOf(id), roleOfJob(id)]).toEqual([undefined, top]);
      },
    ),
  );
});

it('names the team as the parent of a worker, and the top agent as that of a team', () => {
  expect(['d2_1', 'd12_34', 'd2'].map(parentOf)).toEqual(['d2', 'd12', null]);
  expect(['d2_1', 'd2'].map(roleOf)).toEqual(['worker', 'team_supervisor']);
});
