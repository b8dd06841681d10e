const UNITS: Readonly<Record<string, number>> = {
  y: 365 * 86_400_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
};

/** ms of an age as kubectl prints it: `5m53s`, `3d4h`, `2y10d`; NaN if it is not an age. */
export function msOfAge(age: string): number {
  const text = age.trim().replace(/ ago$/, '');
  if (!/^(?:\d+[ydhms])+$/.test(text)) return NaN;
  return [...text.matchAll(/(\d+)([ydhms])/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  );
}

/** For an event, how long ago it was seen last and first: `47s (x183 over 30m)`. */
export function agesOfEvent(age: string): { last: number; first: number } {
  const [, last = '', first = last] = /^(\S+)(?: \(x\d+ over (\S+)\))?$/.exec(age.trim()) ?? [];
  return { last: msOfAge(last), first: msOfAge(first) };
}

/** ms since 1970 of `Wed, 18 Jun 2025 15:48:53 +0200`; NaN if it is not a time. */
export const msOfTime = (time: string): number =>
  /^\w{3}, \d{2} \w{3} \d{4} /.test(time) ? Date.parse(time) : NaN;

/** In the format of the API; empty if there is none. */
export const isoOf = (ms: number): string => (Number.isNaN(ms) ? '' : new Date(ms).toISOString());
