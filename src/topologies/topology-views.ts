import { z } from 'zod';
import { topologySchema } from '../domain/topology/topology-schema.js';

const meta = {
  /** From 1; never given twice for an id, also not after a delete. */
  version: z.int().positive(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};

/** What the service adds to a topology. */
export type TopologyMeta = z.infer<z.ZodObject<typeof meta>>;

/** A topology in a list. */
export const topologyCard = z.object({
  id: z.int().positive(),
  name: z.string(),
  description: z.string().nullable(),
  nodeCount: z.int(),
  teamCount: z.int(),
  agentCount: z.int(),
  ...meta,
});
export type TopologyCard = z.infer<typeof topologyCard>;

export const topologyPage = z.object({
  items: z.array(topologyCard),
  nextCursor: z.string().nullable(),
});

/** A topology as it is stored: with its agents, derived or given. */
export const topologyView = topologySchema
  .required({ globalSupervisor: true, teams: true })
  .extend(meta);

export const removedTopology = z.object({ id: z.int().positive() });
