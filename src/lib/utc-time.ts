/** A time for people, `2026-01-31 09:05:00 UTC`. @param ms since 1970 */
export const utcTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
