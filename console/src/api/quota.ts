/** How much of a quota was used. */
export interface Quota {
  used: number;
  limit: number;
}

/** The quota that a refusal is about; null if it is about none. */
export function quotaIn({ usage, limit }: { usage?: number; limit?: number }): Quota | null {
  return usage !== undefined && limit !== undefined ? { used: usage, limit } : null;
}
