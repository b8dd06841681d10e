import { z } from 'zod';
import type { ListedKind } from '../topology.js';
import { label, must } from './forms.js';

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
  Kind extends
    'postgres' | 'mysql' | 'rabbitmq' | 'kafka' | 'elasticsearch-cluster' | 'alertmanager' | 'mcp',
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
  telemetrySchema('git', 'changes'),
  inspectedSchema('postgres'),
  inspectedSchema('mysql'),
  inspectedSchema('rabbitmq'),
  inspectedSchema('kafka'),
  inspectedSchema('elasticsearch-cluster'),
  inspectedSchema('alertmanager'),
  inspectedSchema('mcp'),
] as const;
/** The keys that a source of this kind may have. */
export const keysOfSource = (source: unknown): string[] => {
  const { kind } = source as { kind?: unknown };
  const own = SOURCES.find(({ shape }) => shape.kind.value === kind);
  return Object.keys(own?.shape ?? {});
};

export const sourceSchema = z.discriminatedUnion('kind', SOURCES, {
  error: `must be an object whose kind is one of ${SOURCES.map(({ shape }) => shape.kind.value).join(', ')}`,
});
