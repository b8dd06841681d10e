import type { ApiBodyOptions, ApiResponseOptions } from '@nestjs/swagger';
import { z } from 'zod';
import { topologySchema } from '../domain/topology/topology-schema.js';

type Schema = Extract<ApiResponseOptions, { schema: unknown }>['schema'];

/** From the schema that checks the input, so that the two cannot differ. OpenAPI 3.0 knows no `$schema`. */
function toSchema(type: z.ZodType): Schema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
  });
  return schema as Schema;
}

const metaShape = {
  version: z.int().positive(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};
const shown = topologySchema.required({ globalSupervisor: true, teams: true }).extend(metaShape);
const card = z.object({
  id: z.int().positive(),
  name: z.string(),
  description: z.string().nullable(),
  nodeCount: z.int(),
  teamCount: z.int(),
  agentCount: z.int(),
  ...metaShape,
});
const page = z.object({ items: z.array(card), nextCursor: z.string().nullable() });
const faults = z.object({ errors: z.array(z.object({ path: z.string(), message: z.string() })) });

const answer = (
  status: number,
  description: string,
  data: z.ZodType,
  code = z.string(),
): ApiResponseOptions => ({
  status,
  description,
  schema: toSchema(z.object({ code, message: z.string(), data })),
});

export const LISTED = answer(200, 'A page of topologies', page);
export const FOUND = answer(200, 'The topology, whole', shown);
export const CREATED: ApiResponseOptions = {
  ...answer(201, 'The topology as it is stored, with its version', shown),
  headers: { Location: { description: 'Where it is found', schema: { type: 'string' } } },
};
export const REMOVED = answer(200, 'It is gone', z.object({ id: z.int().positive() }));
export const INVALID = answer(
  400,
  '`VALIDATION_FAILED`: every fault, with its path and what is allowed',
  faults,
);
export const NOT_FOUND = answer(404, '`TOPOLOGY_NOT_FOUND`', z.null());
export const EXISTS = answer(409, '`TOPOLOGY_EXISTS`', z.null());

const small = {
  id: 42,
  name: 'Web shop',
  nodes: [
    {
      id: 'shop',
      name: 'Shop',
      kind: 'service',
      endpoint: 'http://127.0.0.1:8080/health',
      dependsOn: ['cache'],
      attributes: { slowMs: 300 },
    },
    { id: 'cache', name: 'Cache', kind: 'redis', endpoint: 'redis://:secret@127.0.0.1:6379' },
  ],
};
const staffed = {
  ...small,
  globalSupervisor: { agentId: '1', name: 'Global supervisor' },
  teams: [
    {
      name: 'Shop',
      nodes: ['shop', 'cache'],
      supervisor: { agentId: '2', name: 'Shop supervisor' },
      workers: [
        { agentId: '3', name: 'Shop prober', node: 'shop', tools: ['http_probe'] },
        { agentId: '4', name: 'Cache inspector', node: 'cache', tools: ['redis_inspect'] },
      ],
    },
  ],
  limits: { timeoutSeconds: 120 },
};

export const TOPOLOGY_BODY: ApiBodyOptions = {
  schema: toSchema(topologySchema),
  examples: {
    derived: { summary: 'Nodes alone: the agents are derived', value: small },
    staffed: { summary: 'With its agents', value: staffed },
  },
};
