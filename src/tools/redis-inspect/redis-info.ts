import type { RedisReading } from './redis-read.js';

/** Returns the number in a field of INFO; null if there is none. */
export function numberOf({ info }: RedisReading, field: string): number | null {
  const value = Number(info.get(field) ?? NaN);
  return Number.isFinite(value) ? value : null;
}

/** `errorstat_OOM:count=3` → 3 */
export const countOf = (info: ReadonlyMap<string, string>, error: string) =>
  Number(/count=(\d+)/.exec(info.get(`errorstat_${error}`) ?? '')?.[1] ?? 0);

/** Errors counted since the start by their first word, most frequent first. */
export function errorsOf(info: ReadonlyMap<string, string>): [string, number][] {
  const names = [...info.keys()]
    .filter((key) => key.startsWith('errorstat_'))
    .map((key) => key.slice('errorstat_'.length));
  return names
    .map((name): [string, number] => [name.slice(0, 40), countOf(info, name)])
    .sort(([, a], [, b]) => b - a);
}
