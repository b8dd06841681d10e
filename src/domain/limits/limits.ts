import { z } from 'zod';

/** [default of a chat turn, default of a diagnosis, least, most]. Contract section 4. */
export const LIMIT_BOUNDS = {
  maxIterations: [15, 15, 1, 50],
  softWarningPercent: [70, 70, 50, 90],
  tokenBudget: [50_000, 500_000, 100, 2_000_000],
  tokenWarningPercent: [80, 80, 50, 95],
  timeoutSeconds: [120, 900, 10, 3_600],
  maxToolCallsPerTurn: [20, 20, 1, 200],
  maxParallelTools: [3, 3, 1, 10],
  toolTimeoutSeconds: [30, 30, 1, 300],
} as const;

export type LimitName = keyof typeof LIMIT_BOUNDS;
export type Limits = Record<LimitName, number>;
export const LIMIT_NAMES = Object.keys(LIMIT_BOUNDS) as LimitName[];

const bounded = (name: LimitName) => {
  const [, , least, most] = LIMIT_BOUNDS[name];
  const message = `must be an integer from ${least} to ${most}`;
  return z
    .int({ error: message })
    .min(least, { error: message })
    .max(most, { error: message })
    .exactOptional();
};

/** The limits that a topology or a trigger overrides; unknown keys are refused. */
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
export type LimitOverrides = z.infer<typeof limitsSchema>;

/** Service defaults, overridden by each of the layers in turn (topology, then trigger). */
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
