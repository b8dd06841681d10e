import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { topologySchema } from '../domain/topology/schema/topology-schema.js';
import { toSchema } from '../http/openapi-errors.js';

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

const schema = toSchema(topologySchema, 'input');

/** Documents the body of a method that stores a topology, by the schema that checks it. */
export const TakesTopology = (): MethodDecorator =>
  applyDecorators(
    ApiBody({
      schema,
      description: 'As JSON, or as YAML with `Content-Type: application/yaml`',
      examples: {
        derived: { summary: 'Only nodes: the agents are derived', value: small },
        staffed: { summary: 'With its agents', value: staffed },
      },
    }),
    ApiConsumes('application/json', 'application/yaml'),
  );
