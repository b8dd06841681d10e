import type { EventData } from '../domain/events/event.js';
import { shownTopology, type Hierarchy } from '../domain/topology/hierarchy.js';
import type { Topology } from '../domain/topology/topology.js';
import type { LogReader } from './log-port.js';

/** The sequence of `system.topology` in every diagnosis. */
const TOPOLOGY_EVENT = 2;

/**
 * The part of a diagnosis' topology that its log contains. Undefined: a chat, or its log was
 * deleted.
 */
export async function readShownTopology(
  log: LogReader,
  runId: string,
): Promise<Topology | undefined> {
  const [event] = await log.events(runId, [TOPOLOGY_EVENT]);
  const { hierarchy } = (event?.data ?? {}) as Partial<EventData['system.topology']>;
  return hierarchy && shownTopology(hierarchy as Hierarchy);
}

/**
 * The display names of the nodes of a diagnosis by their ids. None if its log was deleted: nodes
 * are then shown by their ids.
 */
export async function readNodeNames(log: LogReader, runId: string): Promise<Map<string, string>> {
  const nodes = (await readShownTopology(log, runId))?.nodes ?? [];
  return new Map(nodes.map(({ id, name }) => [id, name]));
}
