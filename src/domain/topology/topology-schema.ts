import { z } from 'zod';
import { limitsSchema } from '../limits/limits.js';
import { LIMIT_NAMES } from '../limits/limit-bounds.js';
import { fitsIn } from '../../lib/text.js';
import { ATTRIBUTE_BOUNDS, boundsText } from './node-attributes.js';
import type { ListedKind } from './topology.js';

/**
 * Maximum sizes in a topology: above what people need, and a bound on every response, log entry and
 * prompt.
 */
export const TOPOLOGY_BOUNDS = {
  nodes: 1_000,
  teams: 1_000,
  workersPerTeam: 1_000,
  tools: 100,
  text: 1_000,
  prompt: 20_000,
  /** Of the whole topology: entries of lists, and values of keys. */
  values: 50_000,
} as const;

const must = (what: string) => ({
  error: (issue: { input?: unknown }): string =>
    issue.input === undefined ? `is required and must be ${what}` : `must be ${what}`,
});

const tooLong = (most: number): string =>
  `must have at most ${most.toLocaleString('en')} characters`;

const prose = (most: number = TOPOLOGY_BOUNDS.text) =>
  z.string(must('a string')).refine((text) => fitsIn(text, most), tooLong(most));
const label = (what = 'a string') =>
  z
    .string(must(what))
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine((text) => fitsIn(text, TOPOLOGY_BOUNDS.text), tooLong(TOPOLOGY_BOUNDS.text));

/**
 * At most this many entries. Uses `refine` instead of zod's `min` and `max`, which read the
 * `length` of values that are not lists and throw a TypeError for some of them (zod 4.6).
 */
const sized = <T extends z.ZodArray>(
  list: T,
  least: number,
  most: number,
  none = 'must not be empty',
) =>
  list
    .refine((items) => items.length >= least, none)
    .refine((items) => items.length <= most, {
      error: (issue) =>
        `must have at most ${most} entries, not ${(issue.input as unknown[]).length}`,
    });

/** A list whose items are validated one by one, so that reading a hostile list can stop. */
const listOf = (what: string, least: number, most: number, none?: string) =>
  sized(z.array(z.unknown(), must(`a list of ${what}`)), least, most, none);

/** @param none message for a list that must not be empty */
const labels = (item: string, what: string, most: number, none?: string) =>
  listOf(what, none === undefined ? 0 : 1, most, none).pipe(z.array(label(item)));

const positive = z.number(must('a positive number')).positive(must('a positive number'));
const percent = z
  .number(must('a positive number'))
  .min(1, must('a percentage, at least 1'))
  .max(100, must('a percentage, at most 100'));

/** A number that a tool reads; null is the default of the tool. */
function bounded(name: keyof typeof ATTRIBUTE_BOUNDS) {
  const bounds = ATTRIBUTE_BOUNDS[name];
  const [least, most = Number.MAX_SAFE_INTEGER] = bounds;
  const form = must(boundsText(bounds));
  return z.number(form).min(least, form).max(most, form).nullable().exactOptional();
}

const STATUS_FORM = 'a status (200), a range ("200-399") or a list of these';
const status = z.int(must(STATUS_FORM)).min(100, must(STATUS_FORM)).max(599, must(STATUS_FORM));
const statusText = z
  .string(must(STATUS_FORM))
  .refine(
    (text) => fitsIn(text, 200) && text.split(',').every(isStatusRange),
    `must be ${STATUS_FORM}`,
  );
const statuses = z.union([status, statusText], must(STATUS_FORM));

/** "404", "200-399". */
function isStatusRange(text: string): boolean {
  const [, low, high] = /^([1-5]\d\d)(?:\s*[-–]\s*([1-5]\d\d))?$/.exec(text.trim()) ?? [];
  return low !== undefined && (high === undefined || low <= high);
}

/** Thresholds (contract section 9) and other numbers. Other attributes are validated by the tool that reads them. */
const attributesSchema = z.looseObject(
  {
    slowMs: positive.exactOptional(),
    certificateDays: positive.exactOptional(),
    memoryPercent: percent.exactOptional(),
    diskPercent: percent.exactOptional(),
    connectionsPercent: bounded('connectionsPercent'),
    intervalMs: bounded('intervalMs'),
    loadPerCore: bounded('loadPerCore'),
    nginxConnections: bounded('nginxConnections'),
    queueMessages: bounded('queueMessages'),
    timeoutMs: bounded('timeoutMs'),
    expectStatus: z
      .union([statuses, sized(z.array(statuses), 1, 50)], must(STATUS_FORM))
      .exactOptional(),
    expectBody: label().exactOptional(),
  },
  must('an object'),
);

export const nodeSchema = z.strictObject(
  {
    id: label(),
    name: label(),
    kind: label(),
    endpoint: label().exactOptional(),
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
  name: label(),
  model: label().exactOptional(),
  prompt: prose(TOPOLOGY_BOUNDS.prompt).exactOptional(),
  behaviour: label().exactOptional(),
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
  },
  must('an object'),
);

/** A team without its workers, which are validated one by one. */
export const teamSchema = z.strictObject(
  {
    name: label(),
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

const TELEMETRY = [
  'metrics',
  'logs',
  'traces',
  'changes',
  'kubernetes',
  'status',
  'recordings',
  'probes',
] as const;

const recordingSchema = z.strictObject({
  id: label(),
  kind: z.literal('recording'),
  incident: z
    .string(must('the name of a bundle in INCIDENTS_DIR'))
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be the name of a bundle in INCIDENTS_DIR'),
  provides: z.array(z.enum(TELEMETRY), must('a list of kinds of telemetry')).max(TELEMETRY.length),
});

const URL_FORM = 'an http:// or https:// URL without a user name, a password and a query';
const prometheusSchema = z.strictObject({
  id: label(),
  kind: z.literal('prometheus'),
  endpoint: z
    .string(must(URL_FORM))
    .max(1_000)
    .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/, `must be ${URL_FORM}`)
    .exactOptional(),
  provides: z.array(z.literal('metrics')).max(1).default(['metrics']),
});

const kubernetesSchema = z.strictObject({
  id: label(),
  kind: z.literal('kubernetes'),
  provides: z
    .array(z.enum(['kubernetes', 'logs', 'changes']))
    .max(3)
    .default(['kubernetes', 'logs', 'changes']),
});

/** A listed server that has one kind of telemetry. */
const telemetrySchema = <Kind extends ListedKind, Part extends (typeof TELEMETRY)[number]>(
  kind: Kind,
  part: Part,
) =>
  z.strictObject({
    id: label(),
    kind: z.literal(kind),
    provides: z.array(z.literal(part)).max(1).default([part]),
  });

/** A server that a tool inspects or calls; it has no telemetry of nodes. */
const inspectedSchema = <
  Kind extends 'postgres' | 'mysql' | 'rabbitmq' | 'elasticsearch-cluster' | 'mcp',
>(
  kind: Kind,
) =>
  z.strictObject({
    id: label(),
    kind: z.literal(kind),
    provides: z.array(z.enum(TELEMETRY)).max(0).default([]),
  });

const SOURCES = [
  recordingSchema,
  prometheusSchema,
  kubernetesSchema,
  telemetrySchema('loki', 'logs'),
  telemetrySchema('elasticsearch', 'logs'),
  telemetrySchema('journald', 'logs'),
  telemetrySchema('logfile', 'logs'),
  telemetrySchema('tempo', 'traces'),
  telemetrySchema('jaeger', 'traces'),
  telemetrySchema('github', 'changes'),
  telemetrySchema('argocd', 'changes'),
  telemetrySchema('grafana', 'changes'),
  inspectedSchema('postgres'),
  inspectedSchema('mysql'),
  inspectedSchema('rabbitmq'),
  inspectedSchema('elasticsearch-cluster'),
  inspectedSchema('mcp'),
] as const;
const sourceSchema = z.discriminatedUnion('kind', SOURCES, {
  error: `must be an object whose kind is one of ${SOURCES.map(({ shape }) => shape.kind.value).join(', ')}`,
});

/** A topology without its nodes and teams, which are validated one by one. */
export const headSchema = z.strictObject(
  {
    id: z.int(must(ID_FORM)).positive(must(ID_FORM)),
    name: label(),
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
    sources: sized(z.array(sourceSchema, must('a list of sources')), 0, 100).exactOptional(),
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
export const KNOWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(headSchema.shape),
  nodes: Object.keys(nodeSchema.shape),
  globalSupervisor: Object.keys(agentShape),
  supervisor: Object.keys(agentShape),
  teams: Object.keys(teamSchema.shape),
  workers: Object.keys(workerSchema.shape),
  limits: LIMIT_NAMES,
  sources: SOURCES.flatMap(({ shape }) => Object.keys(shape)),
};
