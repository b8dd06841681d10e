/** [default of a chat turn, default of a diagnosis, minimum, maximum] (contract section 4). */
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

/** The limits that a topology or a trigger overrides. */
export type LimitOverrides = Partial<Limits>;
