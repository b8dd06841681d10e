import type { StoredTopology } from '../client/index.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import type { Json } from '../lib/json.js';
import { redactDeep } from '../lib/redact-urls.js';

/**
 * Fields that the service adds to every topology, and those that it derives if they are missing.
 * Contract section 9.
 */
const ADDED = ['version', 'createdAt', 'updatedAt', 'derived'];
const DERIVED = ['globalSupervisor', 'teams'];

type PutResponse = Pick<StoredTopology, 'warnings'>;

interface TopologyCalls {
  createTopology(topology: unknown): Promise<PutResponse>;
  replaceTopology(id: number, topology: unknown): Promise<PutResponse>;
  topology(id: number): Promise<Record<string, unknown>>;
}

export interface PutTopology {
  id: number;
  /** Probable mistakes in the topology; none if it was stored already. */
  warnings: readonly Fault[];
}

/**
 * Stores a topology in the service. An existing one with the same content is used as it is; one
 * with different content is replaced if that was requested.
 * @throws ConsiliumError VALIDATION_FAILED with every fault, TOPOLOGY_EXISTS
 */
export async function putTopology(
  client: TopologyCalls,
  topology: unknown,
  replace: boolean,
): Promise<PutTopology> {
  const { id } = (topology ?? {}) as { id: number };
  try {
    const { warnings = [] } = await client.createTopology(topology);
    return { id, warnings };
  } catch (error) {
    if (!(error instanceof ConsiliumError) || error.code !== 'TOPOLOGY_EXISTS') throw error;
    const shown = redactDeep(topology as Json);
    const same = isSame(await client.topology(id), shown);
    // Passwords are never shown, so they cannot be compared: the one in the file counts.
    const secret = JSON.stringify(shown) !== JSON.stringify(topology);
    if (replace || (same && secret)) {
      const { warnings = [] } = await client.replaceTopology(id, topology);
      return { id, warnings };
    }
    if (!same) {
      const advice = 'Give this one another id, or replace that one with --replace.';
      throw new ConsiliumError(
        'TOPOLOGY_EXISTS',
        `The service has another topology ${id}. ${advice}`,
      );
    }
    return { id, warnings: [] };
  }
}

/** Whether a stored topology equals the given one, except for fields that the service adds. */
function isSame(stored: Record<string, unknown>, given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const filledIn = [...ADDED, ...DERIVED.filter((key) => !(key in given))];
  return equal(
    Object.fromEntries(Object.entries(stored).filter(([key]) => !filledIn.includes(key))),
    given,
  );
}

/** Equal, if an empty list or object (`dependsOn`, `attributes`) counts as missing. */
function equal(stored: unknown, given: unknown): boolean {
  if (Array.isArray(stored) && Array.isArray(given))
    return stored.length === given.length && stored.every((item, i) => equal(item, given[i]));
  if (!isObject(stored) || !isObject(given))
    return stored === given || (isNone(stored) && isNone(given));
  return [...new Set([...Object.keys(stored), ...Object.keys(given)])].every((key) =>
    equal(stored[key], given[key]),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNone = (value: unknown): boolean =>
  value === undefined ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
