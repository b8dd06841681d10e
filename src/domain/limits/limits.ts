import { z } from 'zod';
import {
  LIMIT_BOUNDS,
  LIMIT_NAMES,
  type LimitName,
  type LimitOverrides,
  type Limits,
} from './limit-bounds.js';

const bounded = (name: LimitName) => {
  const [, , least, most] = LIMIT_BOUNDS[name];
  const message = `must be an integer from ${least} to ${most}`;
  return z
    .int({ error: message })
    .min(least, { error: message })
    .max(most, { error: message })
    .exactOptional();
};

/** Limits that a topology or a trigger overrides; unknown keys are refused. */
export const limitsSchema = z.strictObject({
  maxIterations: bounded('maxIterations'),
  softWarningPercent: bounded('softWarningPercent'),
  tokenBudget: bounded('tokenBudget'),
  tokenWarningPercent: bounded('tokenWarningPercent'),
  timeoutSeconds: bounded('timeoutSeconds'),
  maxToolCallsPerTurn: bounded('maxToolCallsPerTurn'),
  maxParallelTools: bounded('maxParallelTools'),
  toolTimeoutSeconds: bounded('toolTimeoutSeconds'),
});

/** The defaults of the service, overridden by each layer in turn (topology, then trigger). */
export function resolveLimits(
  kind: 'diagnosis' | 'chat',
  ...layers: (LimitOverrides | undefined)[]
): Limits {
  const column = kind === 'chat' ? 0 : 1;
  const defaults = Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, LIMIT_BOUNDS[name][column]]),
  ) as Limits;
  return Object.assign(defaults, ...layers.map((layer) => layer ?? {})) as Limits;
}
