import { LogTemplates } from '../../../src/engine/logs/log-templates.js';
import type { Observations } from '../../../src/engine/observations.js';
import { rankRootCauses } from '../../../src/engine/rank-root-causes.js';
import type { AlertRecord, Series } from '../../../src/domain/telemetry/records.js';
import { MINUTE, observed } from './observations.js';

/** Four hours of points of each minute; an alert fires after three and a half. */
const MINUTES = 240;
export const ALERT = 210;
export const minutes = Array.from({ length: MINUTES }, (_, minute) => minute);
export type Course = (minute: number) => number;

const ripple: Course = (i) => 1 + 0.03 * (((i * 7) % 11) / 5 - 1);
export const measured = (node: string, name: string, valueAt: Course): Series => ({
  name,
  node,
  labels: { service: node },
  times: minutes.map((i) => i * MINUTE),
  values: minutes.map((i) => valueAt(i) * ripple(i)),
});
export const always =
  (value: number): Course =>
  () =>
    value;
export const stepAt =
  (minute: number, before: number, after: number): Course =>
  (i) =>
    i < minute ? before : after;
export const spell =
  (from: number, until: number, usual: number, then: number): Course =>
  (i) =>
    i >= from && i < until ? then : usual;

export const alert = (
  service: string,
  summary: string,
  { metric, ...more }: { metric?: string } & Partial<AlertRecord> = {},
): AlertRecord => ({
  labels: { service, ...(metric !== undefined && { metric }) },
  annotations: { summary },
  startsAt: ALERT * MINUTE,
  ...more,
});
export const frame = { start: 0, now: (MINUTES - 1) * MINUTE, reportedAt: ALERT * MINUTE };
export const judge = (seen: Partial<Observations>) =>
  rankRootCauses(observed({ frame, ...seen }), '');
export const latency = (valueAt: Course, node = 'shop') => measured(node, 'http_p95_ms', valueAt);

export type Line = [minute: number, severity: string, body: string];
/** Lines of a node that also writes that it works, each minute. */
export function linesOf(node: string, lines: readonly Line[]) {
  const templates = new LogTemplates((ALERT * MINUTE) / 2);
  const add = (minute: number, severity: string, body: string) =>
    templates.add({ node, at: minute * MINUTE, severity, body, labels: {} });
  const all: Line[] = [...lines, ...minutes.map((i): Line => [i, 'INFO', 'served a page'])];
  for (const line of all.toSorted(([a], [b]) => a - b)) add(...line);
  return templates.all();
}
