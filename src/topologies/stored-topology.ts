import type { JsonObject } from '../lib/json.js';
import { redactDeep } from '../lib/redact-urls.js';
import type { Topology } from '../domain/topology/topology.js';
import type { TopologyCard, TopologyMeta } from './topology-views.js';

/** A topology as it is kept, with the passwords that tools need. What a run pins. */
export interface StoredTopology extends TopologyMeta {
  topology: Topology;
  owner: string;
}

/** A topology as a client sees it: the whole of it, agents and defaults filled in, passwords in URLs redacted. */
export function showTopology({
  topology,
  version,
  createdAt,
  updatedAt,
}: StoredTopology): JsonObject {
  const shown = redactDeep(topology as unknown as JsonObject);
  return { ...shown, version, createdAt, updatedAt };
}

/** What {@link showTopology} adds may come back in a PUT of what a GET gave; it is the service's own and is ignored. */
export function withoutMeta(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const {
    version: _version,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    ...rest
  } = body as Record<string, unknown>;
  return rest;
}

/** The part of a card that the topology itself says; stored beside it, so that a list reads no whole topologies. */
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

/** Where a topology that was created by a request is found. @param url of the request */
export const locationOf = (url: string, { topology }: StoredTopology): string =>
  `${url.replace(/\/*(?:\?.*)?$/s, '')}/${topology.id}`;
