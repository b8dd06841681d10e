import type { Client } from '../client/client.js';
import { ConsiliumError } from '../domain/errors.js';

/**
 * Gives the service a topology, and its id back. One that is there already with the same content is used as it is; with
 * another content it is replaced where that was asked for.
 *
 * @throws ConsiliumError VALIDATION_FAILED with every fault, TOPOLOGY_EXISTS
 */
export async function putTopology(client: Client, topology: unknown, replace: boolean): Promise<number> {
  const { id } = (topology ?? {}) as { id: number };
  try {
    await client.createTopology(topology);
  } catch (error) {
    if (!(error instanceof ConsiliumError) || error.code !== 'TOPOLOGY_EXISTS') throw error;
    if (replace) await client.replaceTopology(id, topology);
    else if (!holds(await client.topology(id), topology)) {
      throw new ConsiliumError(
        'TOPOLOGY_EXISTS',
        `The service has another topology ${id}. Give this one another id, or replace it with --replace.`,
      );
    }
  }
  return id;
}

/** Whether a stored value says all that a given one says; it may say more, as with what the service fills in. */
function holds(stored: unknown, given: unknown): boolean {
  if (Array.isArray(given))
    return Array.isArray(stored) && stored.length === given.length && given.every((item, i) => holds(stored[i], item));
  if (typeof given !== 'object' || given === null) return Object.is(stored, given);
  if (typeof stored !== 'object' || stored === null) return false;
  return Object.entries(given).every(([key, value]) => holds((stored as Record<string, unknown>)[key], value));
}
