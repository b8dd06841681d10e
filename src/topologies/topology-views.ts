import { z } from 'zod';
import { DERIVABLE } from '../domain/topology/derived-parts.js';
import { topologySchema } from '../domain/topology/schema/topology-schema.js';

const meta = {
  /** From 1. Never used twice for an id, even after a delete. */
  version: z.int().positive(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};

/** Fields that the service adds to a topology. */
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

const completeTopology = topologySchema.required({ globalSupervisor: true, teams: true }).extend({
  derived: z
    .array(z.enum(DERIVABLE))
    .exactOptional()
    .describe(
      'The parts that the topology was given without, and that the service derived. Absent if it was stored by an earlier version',
    ),
});

/** A topology as stored, with its agents. */
export const topologyView = completeTopology.extend(meta);

const faults = z.array(z.object({ path: z.string(), message: z.string() }));
const warnings = faults.exactOptional();

/** The answer to a create or replace. `warnings`: what is allowed but looks like a mistake. */
export const writtenTopology = topologyView.extend({ warnings });

/** A topology that was checked, as it would be stored, or why it would not be. */
export const checkedTopology = z.union([
  completeTopology.extend({ warnings }),
  z.object({ errors: faults }),
]);

export const topologyVersions = z.object({ items: z.array(topologyCard), nextCursor: z.null() });

export const removedTopology = z.object({ id: z.int().positive() });
