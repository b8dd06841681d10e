import { z } from 'zod';
import type { Fault } from '../../domain/errors.js';
import { allowed } from '../../lib/text.js';

/**
 * What is known of the parts of a file, also where others have faults: a part that has one is
 * absent.
 */
const names = z.record(z.string(), z.unknown()).optional().catch(undefined);
const texts = z.array(z.unknown()).optional().catch(undefined);
const sketchSchema = z.looseObject({
  parameters: names,
  measurements: names,
  required: texts,
  command: texts,
  thresholds: z.array(names).optional().catch(undefined),
  judge: texts,
  http: z.looseObject({ path: z.unknown() }).optional().catch(undefined),
  mcp: z.looseObject({ source: z.unknown(), arguments: names }).optional().catch(undefined),
});
type Sketch = z.infer<typeof sketchSchema>;

/** A parameter is one value: it becomes one argument, or a part of one. */
export const parameter = z.looseObject({
  type: z.enum(['string', 'integer', 'number', 'boolean']),
  description: z.string().min(1).max(1_000),
});

/** Where a tool runs. */
export interface OwnToolPlace {
  /** Why a program cannot be run; undefined if it can. */
  programFault: (program: string) => string | undefined;
  /** Ids of the MCP servers of SOURCES_FILE. */
  servers: readonly string[];
}

const WAYS = ['command', 'http', 'mcp'] as const;

/**
 * The faults between parts of a tool file, or with the place where it runs. Its shape is checked
 * separately.
 */
export function fittingFaults(value: unknown, place: OwnToolPlace): Fault[] {
  const { success, data } = sketchSchema.safeParse(value);
  return success
    ? [
        ...wayFaults(data, place),
        ...meaningFaults(data),
        ...parameterFaults(data),
        ...placeFaults(data),
      ]
    : [];
}

function wayFaults(sketch: Sketch, { programFault, servers }: OwnToolPlace): Fault[] {
  const ways = WAYS.filter((way) => Object.hasOwn(sketch, way));
  const faults: Fault[] = [];
  if (ways.length !== 1)
    faults.push({
      path: ways[1] ?? '',
      message: `give either a command, http or mcp; it has ${ways.join(' and ') || 'none of them'}`,
    });
  if (sketch['tenants'] !== undefined && !ways.includes('command'))
    faults.push({ path: 'tenants', message: 'is of tools with a command only' });
  const [program] = sketch.command ?? [];
  const fault = typeof program === 'string' ? programFault(program) : undefined;
  if (fault !== undefined) faults.push({ path: 'command[0]', message: fault });
  const source = sketch.mcp?.source;
  if (typeof source === 'string' && !servers.includes(source))
    faults.push({
      path: 'mcp.source',
      message: `SOURCES_FILE lists no MCP server of this id; ${allowed(source, servers)}`,
    });
  return faults;
}

/** The faults of the meaning of a result. */
function meaningFaults({ mcp, thresholds = [], ...sketch }: Sketch): Fault[] {
  const { measures = 'service', judge = [], measurements = {} } = sketch;
  const faults: Fault[] = [];
  // An MCP server does not state the meaning of its answer: it must not count as a sign of health.
  if (mcp && measures === 'service' && thresholds.length + judge.length === 0)
    faults.push({
      path: 'measures',
      message: 'must be records where neither thresholds nor judge say what a result means',
    });
  thresholds.forEach((each, i) => {
    if (each === undefined) return;
    const { measurement, above, below } = each;
    const path = `thresholds[${i}]`;
    if (typeof measurement === 'string' && !Object.hasOwn(measurements, measurement))
      faults.push({
        path: `${path}.measurement`,
        message: `is not in measurements; ${allowed(measurement, Object.keys(measurements))}`,
      });
    if (above === undefined && below === undefined)
      faults.push({ path, message: 'must have above or below' });
  });
  return faults;
}

function parameterFaults({ parameters = {}, required = [] }: Sketch): Fault[] {
  const known = Object.keys(parameters);
  const missing = required.flatMap((name, i) =>
    typeof name === 'string' && !known.includes(name)
      ? [{ path: `required[${i}]`, message: `is not in parameters; ${allowed(name, known)}` }]
      : [],
  );
  const unread = Object.entries(parameters).flatMap(([name, schema]) => {
    const fault = schemaFault(schema);
    return fault === undefined ? [] : [{ path: `parameters.${name}`, message: fault }];
  });
  return [...missing, ...unread];
}

/**
 * Why the JSON Schema of a parameter cannot be read; undefined if it can, or if its shape has a
 * fault.
 */
function schemaFault(schema: unknown): string | undefined {
  if (!parameter.safeParse(schema).success) return undefined;
  try {
    z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    return undefined;
  } catch (error) {
    return `is no JSON Schema that can be used: ${error instanceof Error ? error.message : ''}`;
  }
}

/** Places for values that nothing fills. */
function placeFaults({ command = [], http, mcp, parameters = {} }: Sketch): Fault[] {
  const known = [...Object.keys(parameters), 'node', 'host', 'port', ...(mcp ? ['selector'] : [])];
  const templates: [string, unknown][] = [
    ...command.map((part, i): [string, unknown] => [`command[${i}]`, part]),
    ['http.path', http?.path],
    ...Object.entries(mcp?.arguments ?? {}).map(([name, part]): [string, unknown] => [
      `mcp.arguments.${name}`,
      part,
    ]),
  ];
  return templates.flatMap(([path, template]) =>
    (typeof template === 'string' ? placesIn(template) : []).flatMap((name) =>
      known.includes(name)
        ? []
        : [{ path, message: `{${name}} is no parameter; ${allowed(name, known)}` }],
    ),
  );
}

/** Names of the places for values in a text: `{node}`. */
export const placesIn = (template: string): string[] =>
  [...template.matchAll(/\{([\w.]+)\}/g)].flatMap(([, name]) => name ?? []);
