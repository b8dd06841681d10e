import type { NextStepCatalogue } from '../../prompt/prompts.js';
import type { RootCause } from '../finding.js';
import type { CommandTarget } from './command-target.js';

/**
 * The entry of the catalogue for a failure of a node: the one that its tool names, otherwise that
 * of its kind. An entry for its kind of node, or for the kind of the faulty object of Kubernetes,
 * is preferred.
 */
export function entryFor(
  { kind = 'unknown', steps = kind }: Pick<RootCause, 'kind' | 'steps'>,
  { node, values }: Pick<CommandTarget, 'node' | 'values'>,
  catalogue: NextStepCatalogue,
): string {
  const entry = catalogue[steps] === undefined ? kind : steps;
  const special = [`kubernetes-${values['resource']}`, node.kind].map((of) => `${entry}-of-${of}`);
  return special.find((name) => catalogue[name] !== undefined) ?? entry;
}
