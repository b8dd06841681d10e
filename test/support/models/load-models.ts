import { expect } from '@jest/globals';
import { loadConfig } from '../../../src/config/load-config.js';
import { ConsiliumError, type Fault } from '../../../src/domain/errors.js';
import { loadModels } from '../../../src/models/providers/load-models.js';

/** A key; "secret" must appear in no message. */
export const KEY = 'sk-proj-secret0123456789';
/** Loads the models that variables define. */
export const load = (env: Record<string, string>) => loadModels(loadConfig(env));

/**
 * Loads models that are refused.
 * @returns the faults, none of which shows a secret; none if the models are loaded
 */
export function faultsOf(env: Record<string, string>): Fault[] {
  try {
    load(env);
  } catch (error) {
    if (!(error instanceof ConsiliumError)) throw error;
    const faults = error.options.faults ?? [];
    for (const { path, message } of faults) expect(error.message).toContain(`${path} ${message}`);
    expect(error.message).not.toContain('secret');
    return faults;
  }
  return [];
}
