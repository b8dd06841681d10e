import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { z } from 'zod';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { readYaml } from './yaml-text.js';

const MOST_BYTES = 1_048_576;

/**
 * Reads a YAML file of the operator; without one, the defaults of its schema.
 * @param variable that names the file
 * @throws ConsiliumError VALIDATION_FAILED with every fault and its line; no message repeats a value
 */
export function readSettingsFile<T>(
  variable: string,
  path: string | undefined,
  schema: z.ZodType<T>,
): T {
  if (path === undefined) return schema.parse({});
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw wrong(variable, [{ path: variable, message: 'names a file that cannot be read' }]);
  }
  if (text.length > MOST_BYTES)
    throw wrong(variable, [{ path: variable, message: `is larger than ${MOST_BYTES} bytes` }]);
  const yaml = readYaml(text, basename(path));
  if ('faults' in yaml) throw wrong(variable, yaml.faults);
  const parsed = schema.safeParse(yaml.value ?? {});
  if (parsed.success) return parsed.data;
  throw wrong(
    variable,
    parsed.error.issues.map((issue) => ({
      path: yaml.at(pathOf(issue.path)),
      message: issue.message,
    })),
  );
}

function wrong(variable: string, faults: Fault[]): ConsiliumError {
  const lines = faults.map(({ path, message }) => `  ${path} ${message}`);
  return new ConsiliumError(
    'VALIDATION_FAILED',
    [`${variable} is not valid:`, ...lines].join('\n'),
    { faults },
  );
}

const pathOf = (steps: readonly PropertyKey[]): string =>
  steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
