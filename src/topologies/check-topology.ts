import type { Behaviours } from '../behaviours/behaviours.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import type { ToolFacts } from '../domain/diagnosis/tool-result.js';
import { MOST_FAULTS } from '../domain/fault-list.js';
import { parsingSteps } from '../domain/topology/parse-topology.js';
import { TOPOLOGY_BOUNDS } from '../domain/topology/schema/forms.js';
import { sketchNames } from '../domain/topology/topology-sketch.js';
import type { Topology } from '../domain/topology/topology.js';
import { allAtOnce, type Steps } from '../lib/steps.js';
import { inDocumentOrder } from '../lib/paths.js';
import type { Models } from '../models/models.js';
import type { Sources } from '../sources/sources.js';
import { modelFaults } from './model-faults.js';

/** The names that a topology may use. */
export interface KnownParts {
  tools: readonly ToolFacts[];
  behaviours: Pick<Behaviours, 'faultsIn'>;
  models: Pick<Models, 'list'>;
  sources: Pick<Sources, 'faultsIn'>;
}

/**
 * Parses a topology and checks every name in it. Only for input: a stored topology whose model was
 * removed still runs, and its run fails with the name.
 * @throws ConsiliumError VALIDATION_FAILED with every fault, in the order of the document
 */
export const checkTopology = (input: unknown, known: KnownParts): Topology =>
  allAtOnce(checkingSteps(input, known));

/** {@link checkTopology} in steps. */
export function* checkingSteps(
  input: unknown,
  { tools, behaviours, models, sources }: KnownParts,
): Steps<Topology> {
  const outcome = yield* parsingSteps(input, tools);
  yield;
  const isFaulty = 'faults' in outcome;
  const parts = isFaulty ? sketchNames(input, TOPOLOGY_BOUNDS.teams) : outcome.topology;
  const names = models.list().map(({ name }) => name);
  const faults = isFaulty ? outcome.faults : [];
  const ofNames = [
    ...behaviours.faultsIn(parts),
    ...modelFaults(parts, names),
    ...(isFaulty ? [] : sources.faultsIn(outcome.topology)),
  ];
  const all = [...faults, ...ofNames.slice(0, Math.max(0, MOST_FAULTS - faults.length))];
  if (isFaulty || all.length > 0) throw invalidTopology(inDocumentOrder(input, all));
  return outcome.topology;
}

export const invalidTopology = (faults: Fault[]): ConsiliumError =>
  new ConsiliumError(
    'VALIDATION_FAILED',
    faults.length === 1 ? 'The topology has a fault' : `The topology has ${faults.length} faults`,
    { faults },
  );
