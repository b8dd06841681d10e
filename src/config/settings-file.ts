import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { z } from 'zod';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { schemaFaults } from './schema-faults.js';
import { readYaml } from './yaml-text.js';

const MOST_BYTES = 1_048_576;

/**
 * Reads a YAML file of the operator; without one, the defaults of its schema.
 * @param variable that names the file
 * @throws ConsiliumError VALIDATION_FAILED with every fault and its line; no message repeats a
 *   value
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
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
    throw wrong(variable, [{ path: `${variable}=${path}`, message }]);
  }
  if (text.length > MOST_BYTES)
    throw wrong(variable, [
      { path: `${variable}=${path}`, message: `is larger than ${MOST_BYTES} bytes` },
    ]);
  const yaml = readYaml(text, basename(path));
  if ('faults' in yaml) throw wrong(variable, yaml.faults);
  const read = schemaFaults(schema, yaml.value ?? {});
  if ('value' in read) return read.value;
  const line = ({ path: at }: Fault): number => yaml.lineOf(at) ?? 0;
  const inOrder = read.faults.toSorted((a, b) => line(a) - line(b));
  throw wrong(
    variable,
    inOrder.map((fault) => ({ path: yaml.at(fault.path), message: fault.message })),
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
