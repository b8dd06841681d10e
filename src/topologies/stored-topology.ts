import type { JsonObject } from '../lib/json.js';
import { redactDeep } from '../lib/redact-urls.js';
import { redactTopology } from '../domain/topology/secrets/redact-topology.js';
import type { Topology } from '../domain/topology/topology.js';
import type { Steps } from '../lib/steps.js';
import { inTurns } from './in-turns.js';
import type { TopologyCard, TopologyMeta } from './topology-views.js';

/** A topology as stored, with the passwords that tools need. Runs store a copy. */
export interface StoredTopology extends TopologyMeta {
  topology: Topology;
  tenant: string;
  /** The principal that created it. */
  owner: string;
}

/**
 * A topology as clients see it: with agents and defaults filled in, and passwords in URLs redacted.
 */
export async function showTopology(stored: StoredTopology): Promise<JsonObject> {
  const { topology, version, createdAt, updatedAt } = stored;
  return { ...(await showUnstored(topology)), version, createdAt, updatedAt };
}

/** The fields of a node that only callers who may know its location see. */
const PLACES = ['endpoint', 'expectAddress', 'paths', 'restartUrl', 'server', 'serverName'];

/** A topology without the locations of its nodes, for callers with the role viewer or trigger. */
export function withoutEndpoints(shown: JsonObject): JsonObject {
  const hide = (part: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(part).filter(([key]) => !PLACES.includes(key)));
  const nodes = (shown['nodes'] as JsonObject[]).map((node) => ({
    ...hide(node),
    attributes: hide(node['attributes'] as JsonObject),
  }));
  return { ...shown, nodes };
}

/** A topology that is not stored, as a client sees it. */
export const showUnstored = (topology: Topology): Promise<JsonObject> =>
  inTurns(redacting(topology));

function* redacting(topology: Topology): Steps<JsonObject> {
  const nodes: JsonObject[] = [];
  for (const node of topology.nodes) {
    nodes.push(redactTopology(node as unknown as JsonObject));
    yield;
  }
  return { ...redactTopology({ ...topology, nodes: [] } as unknown as JsonObject), nodes };
}

/** Removes the fields that the service adds, which a client may send back in a PUT. */
export function withoutMeta(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const {
    version: _version,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    derived: _derived,
    warnings: _warnings,
    ...rest
  } = body as Record<string, unknown>;
  return rest;
}

/**
 * The fields of a card that come from the topology. Stored beside it, so that a list reads no whole
 * topologies.
 */
export function cardOf({
  id,
  name,
  description,
  nodes,
  teams,
}: Topology): Omit<TopologyCard, keyof TopologyMeta> {
  const agentCount = teams.reduce((sum, { workers }) => sum + 1 + workers.length, 1);
  const card = {
    id,
    name,
    description: description ?? null,
    nodeCount: nodes.length,
    teamCount: teams.length,
    agentCount,
  };
  return redactDeep(card);
}

/** The `Location` of a topology that a request created. @param url of the request */
export const locationOf = (url: string, { topology }: StoredTopology): string =>
  `${url.replace(/\/*(?:\?.*)?$/s, '')}/${topology.id}`;
