import { isRecord, isSameJson } from '../../lib/json.js';
import type { Topology } from './topology.js';

/** The parts of a topology that are derived if it is given without them. */
export const DERIVABLE = ['globalSupervisor', 'teams'] as const;
type DerivablePart = (typeof DERIVABLE)[number];

/** The parts that a valid topology is given without. */
export const derivedParts = (given: unknown): DerivablePart[] =>
  DERIVABLE.filter((part) => !isRecord(given) || given[part] === undefined);

/**
 * A topology that replaces a stored one, without the derived parts that are returned as they were
 * shown: they are derived again, so that they fit its nodes.
 * @param given what the client sent, of any shape
 */
export function withoutDerived(given: unknown, stored: Topology): unknown {
  if (!isRecord(given)) return given;
  const unchanged = (stored.derived ?? []).filter((part) => isSameJson(given[part], stored[part]));
  return Object.fromEntries(
    Object.entries(given).filter(([key]) => !unchanged.some((part) => part === key)),
  );
}
