/** Numbers with their units, rounded as the reader needs them. */

import { number } from '../model/number.js';

/** `0 ms`, `314 ms`, `9.78 s`, `34.7 s`, `2 min 05 s`, `3 h 12 min` */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return '–';
  if (ms < 1) return '0 ms';
  // Each bound is where rounding would reach the next unit.
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (seconds < 3_600) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `940`, `1.2k`, `31k`, `2.4M` */
export function shortNumber(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 10_000) return `${(value / 1_000).toFixed(1)}k`;
  return value < 1e6 ? `${Math.round(value / 1_000)}k` : `${(value / 1e6).toFixed(1)}M`;
}

export function cost(value: number | undefined): string {
  if (value === undefined) return '–';
  if (value === 0) return '0';
  return value.toFixed(value < 0.01 ? 4 : value < 1 ? 3 : 2);
}

/** `0.012, 2,960 tokens`; without a price of the model `cost not known, 2,960 tokens` */
export const spentText = (used: { cost: number | undefined; tokens: number }): string =>
  `${used.cost === undefined ? 'cost not known' : cost(used.cost)}, ${number(used.tokens)} tokens`;

export const percent = (part: number): string => `${Math.round(part * 100)} %`;

export function ago(time: string | number, now = Date.now()): string {
  const then = typeof time === 'number' ? time : Date.parse(time);
  const seconds = Math.max(0, Math.round((now - then) / 1_000));
  if (seconds < 5) return 'now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

export const clock = (time: string | number): string => new Date(time).toLocaleTimeString('en-GB');

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** `4 Aug 2026, 08:54:00 UTC`: with its zone, for logs and models write UTC. */
export const moment = (time: string | number): string => MOMENT.format(new Date(time));

/** Since the start of the run: `+9.782` */
export const offset = (ms: number): string => `+${(ms / 1_000).toFixed(3)}`;

/** `01a21814…8187`: runs that began in the same minute begin with the same characters. */
export const shortRunId = (runId: string): string => `${runId.slice(0, 8)}…${runId.slice(-4)}`;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `8.05 MiB` */
export function bytes(value: number): string {
  let rest = value;
  let unit = 0;
  for (; rest >= 1_024 && unit < UNITS.length - 1; unit++) rest /= 1_024;
  return `${unit === 0 ? rest : rest.toFixed(rest < 10 ? 2 : 1)} ${UNITS[unit]}`;
}
