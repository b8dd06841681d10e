import { z } from 'zod';
import { schemaFaults } from '../../config/schema-faults.js';
import { isSecretReference } from '../../config/secrets.js';
import { readYaml } from '../../config/yaml-text.js';
import { FAILURE_KINDS } from '../../domain/diagnosis/failure-kind.js';
import { SYMPTOMS } from '../../domain/diagnosis/finding.js';
import type { Fault } from '../../domain/errors.js';
import { inDocumentOrder } from '../../lib/paths.js';
import { compileJudgement } from './judgement.js';
import { fittingFaults, type OwnToolPlace, parameter, placesIn } from './own-tool-faults.js';

const name = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,59}$/, 'must be small letters, digits and _, at most 60');
const text = z.string().min(1).max(1_000);
/** `queue.depth`: keys, and indexes of lists, of a JSON output. */
const path = z.string().regex(/^[\w-]+(?:\.[\w-]+){0,9}$/, 'must be keys joined by dots');

const verdict = {
  severity: z.enum(['info', 'warning', 'critical']),
  symptom: z.enum(SYMPTOMS).default('erroring'),
  kind: z.enum(FAILURE_KINDS).optional(),
  title: text,
};
const judgement = z.strictObject({
  ...verdict,
  /** A CEL expression over `output`, `text` and `code`. */
  when: z
    .string()
    .max(2_000)
    .superRefine((expression, context) => {
      const compiled = compileJudgement(expression);
      if ('fault' in compiled) context.addIssue({ code: 'custom', message: compiled.fault });
    }),
});
/** A tool of an MCP server of SOURCES_FILE. */
const mcp = z.strictObject({
  source: z.string().min(1).max(200),
  tool: z.string().min(1).max(200),
  definition: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'must be the digest that `consilium doctor` shows'),
  arguments: z.record(z.string().max(100), z.json()).default({}),
});
const threshold = z.strictObject({
  ...verdict,
  measurement: z.string().max(100),
  above: z.number().optional(),
  below: z.number().optional(),
});

const fileSchema = z.strictObject({
  description: text,
  /** Kinds of the nodes that it applies to. */
  kinds: z.array(z.string().min(1).max(100)).min(1).max(50),
  measures: z.enum(['service', 'transport', 'records']).default('service'),
  parameters: z.record(name, parameter).default({}),
  required: z.array(z.string()).default([]),
  command: z.array(z.string().max(4_000)).min(1).max(100).optional(),
  /** Whose topologies may run the command. */
  tenants: z.enum(['default', 'all'], 'must be default or all').default('default'),
  env: z
    .record(
      z.string().regex(/^[A-Z_][A-Z0-9_]{0,99}$/, 'must be a name such as QUEUE_URL'),
      z.string().refine(isSecretReference, 'must be ${env:NAME} or ${file:/PATH}'),
    )
    .default({}),
  /** Appended to the endpoint of the node, which is all that is reached. */
  http: z
    .strictObject({
      path: z.string().regex(/^\/\S{0,2000}$/, 'must begin with / and have no spaces'),
    })
    .optional(),
  mcp: mcp.optional(),
  timeoutSeconds: z.number().min(0.1).max(30).default(10),
  measurements: z.record(z.string().max(100), path).default({}),
  thresholds: z.array(threshold).max(50).default([]),
  /** The meaning of an output, beyond thresholds. */
  judge: z.array(judgement).max(50).default([]),
  /**
   * The meaning of exit codes of a command; without an entry, a code other than 0 fails the call.
   */
  exit: z
    .record(
      z.string().regex(/^[1-9]\d{0,2}$/, 'must be an exit code from 1 to 999'),
      z.strictObject(verdict),
    )
    .default({}),
});

type Parts = Pick<OwnToolFile, 'command' | 'http' | 'mcp'>;

/** The texts in which values stand. */
const templatesOf = ({ command = [], http, mcp }: Parts): string[] => [
  ...command,
  http?.path ?? '',
  ...Object.values(mcp?.arguments ?? {}).filter((each) => typeof each === 'string'),
];

export type OwnToolFile = z.infer<typeof fileSchema>;

/** Whether a program or an MCP server is given the address of the node, and may connect to it. */
export const givesAddress = (file: Parts): boolean =>
  templatesOf(file)
    .flatMap(placesIn)
    .some((place) => place === 'host' || place === 'port');

/**
 * Parameters without which it cannot be called. An argument of an MCP tool that is nothing but a
 * parameter may be absent.
 */
export function neededParameters(file: OwnToolFile): string[] {
  const isOptional = (template: string) => file.mcp && /^\{[\w.]+\}$/.test(template);
  const places = templatesOf(file)
    .filter((each) => !isOptional(each))
    .flatMap(placesIn);
  const named = Object.keys(file.parameters).filter((each) => places.includes(each));
  return [...new Set([...file.required, ...named])];
}

/**
 * Reads a tool file.
 * @param path of the file, for faults
 * @returns the file, or every fault with its line
 */
export function parseOwnTool(
  content: string,
  path: string,
  place: OwnToolPlace,
): { file: OwnToolFile } | { faults: Fault[] } {
  const yaml = readYaml(content, path);
  if ('faults' in yaml) return yaml;
  const read = schemaFaults(fileSchema, yaml.value);
  const faults = [...('faults' in read ? read.faults : []), ...fittingFaults(yaml.value, place)];
  if ('value' in read && faults.length === 0) return { file: read.value };
  return {
    faults: inDocumentOrder(yaml.value, faults).map((fault) => ({
      path: yaml.at(fault.path),
      message: fault.message,
    })),
  };
}

/** Arguments of the tool beside `node`, as JSON Schema says them. */
export function parametersOf({ parameters, required }: OwnToolFile): z.ZodRawShape {
  const schema = { type: 'object', properties: parameters, required };
  const read = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  return read instanceof z.ZodObject ? read.shape : {};
}
