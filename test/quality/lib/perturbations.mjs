// Changes to the observations of an incident, as another system, another tool or an incomplete
// recording would have them. Each is `(seen, incident) => seen`; test/quality/robustness.mjs ranks
// what they make.
import { createHash } from 'node:crypto';
import { severityOf } from '../../../src/engine/logs/log-severity.ts';
import { chance } from './chance.mjs';
import { mangled } from './perturbed-telemetry.mjs';

/** A text in all strings of a value. Keeps maps. */
function mapTexts(value, change) {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (value instanceof Map)
    return new Map([...value].map(([key, each]) => [change(key), mapTexts(each, change)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]),
  );
}

/**
 * Gives every node a name that says nothing, wherever it stands: also in log lines, spans, paths of
 * files and the truth.
 */
function renamed(seen, incident) {
  const ids = seen.nodes
    .map(({ id }) => id)
    .filter((id) => id.length > 3)
    .toSorted((a, b) => b.length - a.length);
  const names = new Map(
    ids.map((id) => [
      id.toLowerCase(),
      `unit${createHash('sha1').update(id).digest('hex').slice(0, 5)}x`,
    ]),
  );
  const escaped = ids.map((id) => id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (escaped.length === 0) return seen;
  const pattern = new RegExp(escaped.join('|'), 'gi');
  const change = (text) =>
    text.replace(pattern, (found) => names.get(found.toLowerCase()) ?? found);
  incident.truth = mapTexts(incident.original, change);
  return { ...mapTexts(seen, change) };
}

const DAY = 86_400_000;

/** Moves all times by days, as another recording has them. */
function shifted(by) {
  const moved = (text) =>
    /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? new Date(Date.parse(text) + by).toISOString() : text;
  return ({ frame, alerts, series, templates, spans, changes, ...seen }) => ({
    ...seen,
    kubernetes: mapTexts(seen.kubernetes, moved),
    kubernetesByNode: mapTexts(seen.kubernetesByNode, moved),
    frame: {
      start: frame.start + by,
      now: frame.now + by,
      ...(frame.reportedAt !== undefined && { reportedAt: frame.reportedAt + by }),
      ...(frame.baseline && {
        baseline: { from: frame.baseline.from + by, to: frame.baseline.to + by },
      }),
    },
    alerts: alerts.map((alert) =>
      alert.startsAt === undefined ? alert : { ...alert, startsAt: alert.startsAt + by },
    ),
    series: series.map((each) => ({ ...each, times: each.times.map((at) => at + by) })),
    templates: templates.map((each) => ({ ...each, first: each.first + by, last: each.last + by })),
    spans: spans.map((span) => ({ ...span, start: span.start + by })),
    changes: changes.map((change) => ({ ...change, at: change.at + by })),
  });
}

/** Clocks of the log store run ahead or behind the others. */
const logsLate = (by) => (seen) => ({
  ...seen,
  templates: seen.templates.map((each) => ({
    ...each,
    first: each.first + by,
    last: each.last + by,
  })),
});

const PERCENT = /percent|availab|utili[sz]ation/i;
const TIMES = /latency|duration|seconds|_ms\b/i;

/** Milliseconds for seconds, and shares of one for percent. */
const otherUnits = (seen) => ({
  ...seen,
  series: seen.series.map((each) => {
    const factor = PERCENT.test(each.name) ? 0.01 : TIMES.test(each.name) ? 1_000 : 1;
    return {
      ...each,
      ...(factor === 0.01 && { name: each.name.replace(/percent/i, 'utilization') }),
      values: each.values.map((value) => value * factor),
    };
  }),
});

const metricsNamed = (name) => (seen) => ({
  ...seen,
  series: seen.series.map((each) => ({ ...each, name: name(each.name) })),
  alerts: seen.alerts.map((alert) => ({
    ...alert,
    labels: {
      ...alert.labels,
      ...(alert.labels.metric !== undefined && { metric: name(alert.labels.metric) }),
    },
  })),
});

const fewer = (share) => (seen) => {
  const traces = new Set(
    seen.spans.flatMap(({ traceId }) => (chance('trace', traceId) < share ? [traceId] : [])),
  );
  return { ...seen, spans: seen.spans.filter(({ traceId }) => traces.has(traceId)) };
};

/** What each row changes, by its name. The incident's truth follows where nodes get other names. */
export const PERTURBATIONS = {
  'as it was recorded': (seen) => seen,
  'other names of nodes': renamed,
  'thirty days later': shifted(30 * DAY),
  'logs a minute late': logsLate(60_000),
  'logs a minute early': logsLate(-60_000),
  'milliseconds for seconds, shares for percent': otherUnits,
  'metrics with dots and a prefix': metricsNamed((name) => `app.${name.replaceAll('_', '.')}`),
  'one series in four is missing': (seen) => ({
    ...seen,
    series: seen.series.filter(({ name, node }) => chance(name, node) >= 0.25),
  }),
  'every second point': (seen) => ({
    ...seen,
    series: seen.series.map((each) => ({
      ...each,
      times: each.times.filter((_, i) => i % 2 === 0),
      values: each.values.filter((_, i) => i % 2 === 0),
    })),
  }),
  'one log pattern in four is missing': (seen) => ({
    ...seen,
    templates: seen.templates.filter(({ id, node }) => chance(id, node) >= 0.25),
  }),
  'half of the traces': fewer(0.5),
  'one span in five is missing': (seen) => ({
    ...seen,
    spans: seen.spans.filter(({ spanId }) => chance('span', spanId) >= 0.2),
  }),
  'logs without a severity': (seen) => ({
    ...seen,
    templates: seen.templates.map((each) => ({
      ...each,
      error: severityOf({ severity: '', body: each.sample.body }) === 'error',
      warning: severityOf({ severity: '', body: each.sample.body }) === 'warning',
    })),
  }),
  'the alert names no metric': (seen) => ({
    ...seen,
    alerts: seen.alerts.map(({ labels: { metric: _, ...labels }, ...alert }) => ({
      ...alert,
      labels,
    })),
  }),
  'the alert names its node as a job': (seen) => ({
    ...seen,
    alerts: seen.alerts.map(({ labels: { service, ...labels }, ...alert }) => ({
      ...alert,
      labels: { ...labels, ...(service !== undefined && { job: service }) },
    })),
  }),
  'nothing says when it was noticed': ({ frame: { reportedAt: _, ...frame }, ...seen }) => ({
    ...seen,
    frame,
  }),
  ...mangled,
};
