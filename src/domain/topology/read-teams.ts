import type { FaultList } from '../fault-list.js';
import { readPart } from '../read-part.js';
import { KNOWN_KEYS, teamSchema, workerSchema } from './schema/topology-schema.js';
import type { TeamSketch } from './topology-sketch.js';
import type { Team, WorkerBinding } from './topology.js';
import type { Steps } from '../../lib/steps.js';

/**
 * Reads the teams and their workers. Returns those with a valid shape; `teamFaults` checks their
 * references.
 */
export function* readTeams(teams: readonly TeamSketch[], faults: FaultList): Steps<Team[]> {
  const whole: Team[] = [];
  for (const [index, { raw, workers }] of teams.entries()) {
    if (faults.isFull) break;
    const team = readPart(teamSchema, raw, ['teams', index], { knownKeys: KNOWN_KEYS, faults });
    const read: WorkerBinding[] = [];
    for (const [position, worker] of workers.entries()) {
      yield;
      read.push(...readWorker(worker.raw, ['teams', index, 'workers', position], faults));
    }
    if (team !== undefined) whole.push({ ...team, workers: read });
  }
  return whole;
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
