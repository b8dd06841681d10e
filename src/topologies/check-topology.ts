import type { Behaviours } from '../behaviours/behaviours.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import type { ToolFacts } from '../domain/diagnosis/tool-result.js';
import { parsingSteps } from '../domain/topology/parse-topology.js';
import type { Topology } from '../domain/topology/topology.js';
import { allAtOnce, type Steps } from '../lib/steps.js';
import { inDocumentOrder } from '../lib/paths.js';
import type { Models } from '../models/models.js';
import { modelFaults } from './model-faults.js';

/** What a topology may name. */
export interface KnownParts {
  tools: readonly ToolFacts[];
  behaviours: Pick<Behaviours, 'faultsIn'>;
  models: Pick<Models, 'list'>;
}

/**
 * Parses a topology and checks every name in it. Only for input: a stored topology whose model was removed still runs, and its
 * run fails with the name.
 * @throws ConsiliumError VALIDATION_FAILED with every fault, in the order of the document
 */
export const checkTopology = (input: unknown, known: KnownParts): Topology =>
  allAtOnce(checkingSteps(input, known));

/** {@link checkTopology} in steps. */
export function* checkingSteps(
  input: unknown,
  { tools, behaviours, models }: KnownParts,
): Steps<Topology> {
  const outcome = yield* parsingSteps(input, tools);
  if ('faults' in outcome) throw invalidTopology(inDocumentOrder(input, outcome.faults));
  const { topology } = outcome;
  yield;
  const names = models.list().map(({ name }) => name);
  const faults = [...behaviours.faultsIn(topology), ...modelFaults(topology, names)];
  if (faults.length > 0) throw invalidTopology(inDocumentOrder(input, faults));
  return topology;
}

export const invalidTopology = (faults: Fault[]): ConsiliumError =>
  new ConsiliumError(
    'VALIDATION_FAILED',
    faults.length === 1 ? 'The topology has a fault' : `The topology has ${faults.length} faults`,
    { faults },
  );
