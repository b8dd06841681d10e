import { z } from 'zod';
import { limitsSchema } from '../../limits/limits.js';
import { LIMIT_NAMES } from '../../limits/limit-bounds.js';
import { attributesSchema } from './attributes-schema.js';
import {
  address,
  identifier,
  label,
  labels,
  listOf,
  must,
  name,
  prose,
  sized,
  TOPOLOGY_BOUNDS,
} from './forms.js';
import { keysOfSource, sourceSchema } from './source-schema.js';
import { REACHES } from '../topology.js';

export const nodeSchema = z.strictObject(
  {
    id: identifier(),
    name: name(),
    kind: name(),
    endpoint: address().exactOptional(),
    dependsOn: labels('the id of a node', 'node ids', TOPOLOGY_BOUNDS.nodes).exactOptional(),
    in: z
      .record(label('the id of a source'), label('a selector'), must('an object'))
      .exactOptional(),
    attributes: attributesSchema.exactOptional(),
  },
  must('an object'),
);

const agentId = z
  .string({
    error: (issue) =>
      `${issue.input === undefined ? 'is required and ' : ''}must be a string of digits, such as "7" (in YAML with the quotes)`,
  })
  .regex(/^\d{1,20}$/, { error: 'must be a string of one to 20 digits, such as "7"' });

const agentShape = {
  agentId,
  name: name(),
  model: name().exactOptional(),
  prompt: prose(TOPOLOGY_BOUNDS.prompt).exactOptional(),
  behaviour: name().exactOptional(),
};
const agentSchema = z.strictObject(agentShape, must('an object'));

export const workerSchema = z.strictObject(
  {
    ...agentShape,
    node: label('the id of a node'),
    tools: labels(
      'the name of a tool',
      'tool names',
      TOPOLOGY_BOUNDS.tools,
      'a worker needs at least one tool',
    ),
    reach: z.enum(REACHES, must('"node" or "dependencies"')).exactOptional(),
  },
  must('an object'),
);

/** A team without its workers, which are validated one by one. */
export const teamSchema = z.strictObject(
  {
    name: name(),
    nodes: labels(
      'the id of a node',
      'node ids',
      TOPOLOGY_BOUNDS.nodes,
      'a team needs at least one node',
    ),
    supervisor: agentSchema,
    workers: listOf(
      'workers',
      1,
      TOPOLOGY_BOUNDS.workersPerTeam,
      'a team needs at least one worker',
    ),
  },
  must('an object'),
);

const ID_FORM = `a positive integer, at most ${Number.MAX_SAFE_INTEGER}`;

/** A topology without its nodes and teams, which are validated one by one. */
export const headSchema = z.strictObject(
  {
    id: z.int(must(ID_FORM)).positive(must(ID_FORM)),
    name: name(),
    description: prose().exactOptional(),
    nodes: listOf('nodes', 1, TOPOLOGY_BOUNDS.nodes, 'a topology needs at least one node'),
    globalSupervisor: agentSchema.exactOptional(),
    teams: listOf(
      'teams',
      1,
      TOPOLOGY_BOUNDS.teams,
      'no team: name at least one, or leave out `teams` to have them derived',
    ).exactOptional(),
    limits: limitsSchema.exactOptional(),
    sources: sized(
      z.array(sourceSchema, must('a list of sources')),
      0,
      TOPOLOGY_BOUNDS.sources,
    ).exactOptional(),
  },
  must('an object'),
);

/** The shape of a complete topology, for documentation (contract section 9). */
export const topologySchema = headSchema.extend({
  nodes: z.array(nodeSchema),
  teams: z.array(teamSchema.extend({ workers: z.array(workerSchema) })).exactOptional(),
});

/**
 * Known keys of each object, by the key that holds the object or the list of it; `''` is the
 * topology itself.
 */
export const KNOWN_KEYS = {
  '': Object.keys(headSchema.shape),
  nodes: Object.keys(nodeSchema.shape),
  globalSupervisor: Object.keys(agentShape),
  supervisor: Object.keys(agentShape),
  teams: Object.keys(teamSchema.shape),
  workers: Object.keys(workerSchema.shape),
  limits: LIMIT_NAMES,
  sources: keysOfSource,
};
