import type { FaultList } from '../fault-list.js';
import { readPart } from '../read-part.js';
import { KNOWN_KEYS, teamSchema, workerSchema } from './topology-schema.js';
import type { TeamSketch } from './topology-sketch.js';
import type { Team, WorkerBinding } from './topology.js';

/**
 * Reads the teams and their workers. Returns those with a valid shape; `teamFaults` checks their
 * references.
 */
export function readTeams(teams: readonly TeamSketch[], faults: FaultList): Team[] {
  return teams.flatMap(({ raw, workers }, index) => {
    if (faults.isFull) return [];
    const team = readPart(teamSchema, raw, ['teams', index], { knownKeys: KNOWN_KEYS, faults });
    const read = workers.flatMap((worker, position) =>
      readWorker(worker.raw, ['teams', index, 'workers', position], faults),
    );
    return team === undefined ? [] : [{ ...team, workers: read }];
  });
}

function readWorker(
  raw: unknown,
  path: readonly PropertyKey[],
  faults: FaultList,
): WorkerBinding[] {
  const worker = faults.isFull
    ? undefined
    : readPart(workerSchema, raw, path, { knownKeys: KNOWN_KEYS, faults });
  return worker === undefined ? [] : [worker];
}
