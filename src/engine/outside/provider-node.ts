import { isForeign } from '../../domain/topology/foreign-node.js';
import { reachOf } from '../call-graph.js';
import { nodesNamedInLine } from '../logs/named-in-line.js';
import type { Observations } from '../observations.js';
import type { ExternalCause } from './external-cause.js';

/** Shorter words of a name occur in many names. */
const LEAST_LETTERS = 4;

/**
 * The node of another organisation with the outage of a provider: the one that the evidence names,
 * whole or by a word of its name, otherwise the only one that the speaker calls.
 */
export function providerNode(
  { node, says }: ExternalCause,
  { nodes }: Pick<Observations, 'nodes'>,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  const foreign = nodes.filter(isForeign);
  const called = foreign.filter(
    ({ id }) => node === undefined || node === id || reachOf(node, calls).has(id),
  );
  const named = nodesNamedInLine(says, called)[0];
  if (named !== undefined) return named;
  const text = says.toLowerCase();
  const words = ({ id }: { id: string }) =>
    id
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word.length >= LEAST_LETTERS);
  const alike = called.filter((each) => words(each).some((word) => text.includes(word)));
  if (alike.length > 0) return alike.length === 1 ? alike[0]?.id : undefined;
  return node !== undefined && called.length === 1 ? called[0]?.id : undefined;
}
