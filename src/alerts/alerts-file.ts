import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import { isSecretReference } from '../config/secrets.js';
import { readYaml } from '../config/yaml-text.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';

const MOST_BYTES = 1_048_576;
const MINUTES_OF_A_DAY = 1_440;

const reference = z
  .string()
  .refine(
    isSecretReference,
    'must be a reference, ${env:NAME} or ${file:/PATH}, and no credential',
  );
const references = z.array(reference).min(1).max(10);

const routeSchema = z.strictObject({
  match: z
    .record(z.string().min(1).max(200), z.string().max(1_000))
    .refine((match) => Object.keys(match).length > 0, 'must name at least one label'),
  topology: z.int().positive(),
  nodes: z.array(z.string().max(200)).max(1_000).optional(),
  teams: z.array(z.string().max(200)).max(1_000).optional(),
  cancelOnResolve: z.boolean().optional(),
});

const fileSchema = z.strictObject({
  secrets: z
    .strictObject({
      grafana: references.optional(),
      pagerduty: references.optional(),
      generic: references.optional(),
    })
    .default({}),
  quietMinutes: z.int().min(0).max(MINUTES_OF_A_DAY).default(30),
  routes: z.array(routeSchema).max(1_000).default([]),
});

/** A rule: alerts whose labels fit start a run of a topology. */
export type AlertRoute = z.infer<typeof routeSchema>;
/** ALERTS_FILE. It holds references to secrets, and no secret. */
export type AlertsFile = z.infer<typeof fileSchema>;

/**
 * Reads ALERTS_FILE; without one, alerts are routed by their label and by selectors of topologies.
 * @throws ConsiliumError VALIDATION_FAILED with every fault and its line
 */
export function readAlertsFile(path: string | undefined): AlertsFile {
  if (path === undefined) return fileSchema.parse({});
  const wrong = (faults: Fault[]) =>
    new ConsiliumError(
      'VALIDATION_FAILED',
      ['ALERTS_FILE is not valid:', ...faults.map((each) => `  ${each.path} ${each.message}`)].join(
        '\n',
      ),
      { faults },
    );
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw wrong([{ path: 'ALERTS_FILE', message: 'names a file that cannot be read' }]);
  }
  if (text.length > MOST_BYTES)
    throw wrong([{ path: 'ALERTS_FILE', message: `is larger than ${MOST_BYTES} bytes` }]);
  const yaml = readYaml(text, basename(path));
  if ('faults' in yaml) throw wrong(yaml.faults);
  const parsed = fileSchema.safeParse(yaml.value ?? {});
  if (parsed.success) return parsed.data;
  throw wrong(
    parsed.error.issues.map((issue) => ({
      path: yaml.at(pathOf(issue.path)),
      message: issue.message,
    })),
  );
}

const pathOf = (steps: readonly PropertyKey[]): string =>
  steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
