import { describe, expect, test } from '@jest/globals';
import {
  failedSpan,
  MINUTE,
  observed,
  steppedSeries,
} from '../../test/support/incidents/observations.js';
import { LogTemplates } from './logs/log-templates.js';
import { findAnomalies } from './find-anomalies.js';
import type { Observations } from './observations.js';
import type { Series, Span } from '../domain/telemetry/records.js';

/** A request each second for twenty minutes; those at the seconds given fail. */
function requests(failsAt: (second: number) => boolean): Span[] {
  return Array.from({ length: 1_200 }, (_, second) => {
    const { error, ...fine } = failedSpan('cart', undefined, second * 1_000);
    return failsAt(second) && error !== undefined ? { ...fine, error } : fine;
  });
}
const showsFailure = (spans: Span[]) => findAnomalies(observed({ spans })).showsFailure;
const isLate = (second: number) => second * 1_000 > 10 * MINUTE;

describe('failed requests', () => {
  test('are a failure if more fail than in the quiet time', () => {
    expect(showsFailure(requests((second) => isLate(second) && second % 20 === 0))).toBe(true);
    expect(showsFailure(requests((second) => second % (isLate(second) ? 10 : 100) === 0))).toBe(
      true,
    );
  });

  test('are none if as many fail in normal time', () => {
    expect(showsFailure(requests((second) => second % 100 === 0))).toBe(false);
    expect(showsFailure(requests((second) => second === 1_100))).toBe(false);
  });

  test('are a failure if no request of the quiet time was recorded', () =>
    expect(showsFailure([failedSpan('cart', undefined, 12 * MINUTE)])).toBe(true));
});

const stepAt = (minute: number, node: string, name: string, [usual, now]: [number, number]) => {
  const series: Series = steppedSeries(node, name, usual, usual);
  const isOver = (i: number) => (series.times[i] ?? 0) > minute * MINUTE;
  return { ...series, values: series.values.map((value, i) => (isOver(i) ? now : value)) };
};

describe('the first sign', () => {
  const alerts = [{ labels: { service: 'shop' }, annotations: { summary: 'shop is slow' } }];
  const nodes = [
    ...observed().nodes,
    { id: 'pdf', name: 'PDF', dependsOn: ['fonts'] },
    { id: 'fonts', name: 'Fonts', dependsOn: [] },
  ];
  const slow = steppedSeries('shop', 'http_request_duration_p95', 0.1, 2);
  const warnings = (node: string, ...minutes: number[]) => {
    const templates = new LogTemplates(6 * MINUTE);
    for (const at of minutes)
      templates.add({ at: at * MINUTE, node, severity: 'WARN', body: 'slow font', labels: {} });
    return templates.all();
  };
  const firstSign = (more: Partial<Observations>) =>
    findAnomalies(observed({ nodes, alerts, series: [slow], ...more })).firstOnset / MINUTE;
  const frame = { start: 0, now: 20 * MINUTE, reportedAt: 12 * MINUTE };

  test('is what is worse than usual at a node with a path to the alert', () => {
    const early = stepAt(8, 'db', 'node_cpu_utilization', [0.2, 0.99]);
    expect(firstSign({ frame, series: [slow, early] })).toBe(8.5);
    expect(firstSign({ frame, templates: warnings('db', 7, 8, 9, 10, 11, 12, 13) })).toBe(7);
  });

  test.each([
    [
      'a move for the better',
      { series: [slow, stepAt(8, 'db', 'node_cpu_utilization', [0.9, 0.1])] },
    ],
    [
      'a move of a node without such a path',
      { series: [slow, stepAt(8, 'pdf', 'errors', [0, 9])] },
    ],
    ['lines of a node without such a path', { templates: warnings('pdf', 7, 8, 9, 10, 11, 12) }],
    ['a single line', { templates: warnings('db', 7) }],
    ['a failure of the quiet time', { spans: [failedSpan('shop', undefined, MINUTE)] }],
  ])('is not %s', (_, more) => expect(firstSign({ frame, ...more })).toBe(10.5));
});
