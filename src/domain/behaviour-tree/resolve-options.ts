import type { JsonObject } from '../../lib/json.js';
import type { ModelOptions, Reference } from './tree.js';

export const isReference = (value: unknown): value is Reference =>
  typeof value === 'object' && value !== null && 'blackboard' in value;

const FITS: Partial<Record<keyof ModelOptions, { what: string; test(value: unknown): boolean }>> = {
  model: { what: 'the name of a model', test: (value) => typeof value === 'string' },
  messages: { what: 'a list', test: Array.isArray },
  tools: {
    what: 'a list of names',
    test: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  },
  budget: { what: 'a positive number', test: (value) => typeof value === 'number' && value > 0 },
};

/**
 * Resolves the references of options. A reference without a value is left out; one with an
 * unsuitable value is left out and reported as a fault.
 */
export function resolveOptions(
  options: ModelOptions,
  read: (key: string) => unknown,
): { resolved: JsonObject; faults: Error[] } {
  const resolved: Record<string, unknown> = {};
  const faults: Error[] = [];
  for (const [name, option] of Object.entries(options)) {
    const value: unknown = isReference(option) ? read(option.blackboard) : option;
    const fits = FITS[name as keyof ModelOptions];
    if (value === undefined || value === null) continue;
    if (isReference(option) && fits && !fits.test(value)) {
      faults.push(
        new TypeError(`:${name} is (blackboard :${option.blackboard}), which is not ${fits.what}`),
      );
    } else resolved[name] = value;
  }
  return { resolved: resolved as JsonObject, faults };
}
