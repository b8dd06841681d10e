// Telemetry as other tools record it: other names and units of metrics, counters instead of rates,
// other formats of logs, gaps, noise, and more of everything that has nothing to do with the
// incident.
import { severityOf } from '../../../src/engine/logs/log-severity.ts';
import { chance } from './chance.mjs';

const MINUTE = 60_000;

const withSeries = (change) => (seen) => ({ ...seen, series: seen.series.flatMap(change) });

/** Names and units of four conventions: [meaning of our name, their name, factor]. */
const CONVENTIONS = {
  'metrics of OpenTelemetry': [
    [/cpu_usage.*percent/, 'container.cpu.utilization', 0.01],
    [/mem.*percent/, 'container.memory.utilization', 0.01],
    [/mem.*mebibytes|(heap|rss).*_mb/, 'container.memory.usage', 1_048_576],
    [/latency_seconds|duration.*_seconds/, 'http.server.request.duration', 1],
    [/(latency|duration).*_ms/, 'http.server.request.duration', 0.001],
    [/(5xx|error).*ratio/, 'http.server.errors.ratio', 1],
    [/lag/, 'messaging.kafka.consumer.lag', 1],
  ],
  'metrics of Istio and cAdvisor': [
    [/cpu_usage.*percent/, 'container_cpu_usage_percent', 1],
    [/cpu.*millicores/, 'container_cpu_usage_cores', 0.001],
    [/mem.*mebibytes|(heap|rss).*_mb/, 'container_memory_working_set_bytes', 1_048_576],
    [/latency_seconds|duration.*_seconds/, 'istio_request_duration_milliseconds', 1_000],
    [/(latency|duration).*_ms/, 'istio_request_duration_milliseconds', 1],
    [/(5xx|error).*ratio/, 'istio_requests_error_percent', 100],
    [/lag/, 'kafka_consumergroup_lag_sum', 1],
  ],
  'metrics of Micrometer': [
    [/cpu_usage.*percent/, 'process.cpu.usage', 0.01],
    [/mem.*mebibytes|(heap|rss).*_mb/, 'jvm.memory.used', 1_048_576],
    [/latency_seconds|duration.*_seconds/, 'http.server.requests.duration', 1e9],
    [/(latency|duration).*_ms/, 'http.server.requests.duration', 1e6],
    [/(5xx|error).*ratio/, 'http.server.requests.errors', 100],
    [/pool_in_use/, 'hikaricp.connections.active', 1],
    [/pool_max/, 'hikaricp.connections.max', 1],
    [/lag/, 'kafka.consumer.fetch.manager.records.lag.max', 1],
  ],
  'metrics of CloudWatch': [
    [/cpu_usage.*percent/, 'CPUUtilization', 1],
    [/mem.*percent/, 'MemoryUtilization', 1],
    [/latency_seconds|duration.*_seconds/, 'TargetResponseTime', 1],
    [/(latency|duration).*_ms/, 'TargetResponseTime', 0.001],
    [/(5xx|error).*ratio/, 'HTTPCode_Target_5XX_Percent', 100],
    [/pool_in_use/, 'DatabaseConnections', 1],
    [/lag/, 'ApproximateNumberOfMessagesVisible', 1],
  ],
};

/** Another name keeps what tells one statistic of a metric from another. */
const statisticIn = (name) => /_(p\d\d)\b/.exec(name)?.[0] ?? '';

const renamedMetrics = (rows) => (seen) => {
  const named = (name) => rows.find(([pattern]) => pattern.test(name));
  const nameOf = (name) => {
    const row = named(name);
    return row === undefined ? name : row[1] + statisticIn(name);
  };
  return {
    ...seen,
    series: seen.series.map((each) => {
      const factor = named(each.name)?.[2] ?? 1;
      return {
        ...each,
        name: nameOf(each.name),
        values: each.values.map((value) => value * factor),
      };
    }),
    alerts: seen.alerts.map((alert) =>
      alert.labels.metric === undefined
        ? alert
        : { ...alert, labels: { ...alert.labels, metric: nameOf(alert.labels.metric) } },
    ),
  };
};

/**
 * What is counted in each interval as a counter that starts again from 0 at a third of its points.
 */
const asCounter = (series) => {
  if (!/^requests$|_ops$|per_(sec|min)|_rps\b/.test(series.name)) return series;
  const restart = Math.floor(series.times.length / 3);
  let sum = 1e6;
  const values = series.values.map((value, i) => {
    sum = (i === restart ? 0 : sum) + value;
    return sum;
  });
  return { ...series, name: `${series.name.replace(/_per_(sec|min)$/, '')}_total`, values };
};

const gaps = (series) => {
  const count = series.times.length;
  const from = Math.floor(chance('gap', series.name, series.node) * count * 0.8);
  const kept = series.times.map(
    (_, i) => (i < from || i >= from + count * 0.1) && chance('point', series.name, i) >= 0.05,
  );
  return {
    ...series,
    times: series.times.filter((_, i) => kept[i]),
    values: series.values.filter((_, i) => kept[i]),
  };
};

/** A day's wave on everything that follows traffic. */
const seasonal = (series) => {
  if (/_(total|count|sum)$/.test(series.name)) return series;
  if (!/request|ops|rps|per_sec|network|bytes|cpu|queries/.test(series.name)) return series;
  const values = series.values.map(
    (value, i) => value * (1 + 0.25 * Math.sin((series.times[i] / (240 * MINUTE)) * 2 * Math.PI)),
  );
  return { ...series, values };
};

const NOISE = [
  'go_goroutines',
  'process_open_fds',
  'go_gc_duration_seconds',
  'scrape_duration_seconds',
  'up',
];

/** Series that say nothing: of the nodes that are there, and of ten more that are well. */
function noisy(seen) {
  const { frame, nodes } = seen;
  const extra = Array.from({ length: 10 }, (_, i) => ({
    id: `sidecar-${i}`,
    name: `sidecar-${i}`,
    dependsOn: [],
  }));
  const all = [...nodes, ...extra];
  const step = Math.max(30_000, (frame.now - frame.start) / 120);
  const times = Array.from({ length: 120 }, (_, i) => frame.start + i * step);
  const noise = all.flatMap(({ id: node }) =>
    NOISE.map((name) => ({
      name,
      node,
      labels: { service: node },
      times,
      values: times.map((_, i) =>
        name === 'up'
          ? 1
          : 50 * (1 + 0.3 * (chance(name, node, i) + chance(name, node, i + 1) - 1)),
      ),
    })),
  );
  return { ...seen, nodes: all, series: [...seen.series, ...noise] };
}

/** Alerts that fire always, before the one that matters. */
const moreAlerts = (seen) => ({
  ...seen,
  alerts: [
    {
      labels: { alertname: 'Watchdog', severity: 'none' },
      annotations: { summary: 'An alert that should always be firing' },
    },
    {
      labels: { alertname: 'KubeCPUOvercommit', severity: 'warning', namespace: 'kube-system' },
      annotations: { summary: 'Cluster has overcommitted CPU resource requests.' },
    },
    ...seen.alerts,
  ],
});

const fewerEdges = (seen) => ({
  ...seen,
  nodes: seen.nodes.map((node) => ({
    ...node,
    dependsOn: node.dependsOn.filter((id) => chance('edge', node.id, id) >= 0.5),
  })),
});

const HARMLESS = [
  ['web/static/footer.html', '-<p>2025</p>\n+<p>2026</p>', 'Update the footer'],
  ['runbook/paging.txt', '-Call the team.\n+Page the team.', 'Update the runbook'],
  [
    'services/mailer/subject.go',
    '-\tsubject := "Hello"\n+\tsubject := "Welcome"',
    'Change the subject',
  ],
];

/** Commits and deploys that have nothing to do with it, in the last minutes before the report. */
const busyDay = (seen) => {
  if (seen.changes.length === 0) return seen;
  const until = seen.frame.reportedAt ?? seen.frame.now;
  const more = HARMLESS.flatMap(([file, diff, message], i) => {
    const id = `${i}badc0ffee0${i}`;
    return [
      {
        kind: 'commit',
        at: until - (20 - i) * MINUTE,
        id,
        message,
        files: [file],
        diff: `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n${diff}`,
      },
      { kind: 'deploy', at: until - (9 - i) * MINUTE, node: 'mailer', commit: id, version: id },
    ];
  });
  return { ...seen, changes: [...seen.changes, ...more].toSorted((a, b) => a.at - b.at) };
};

const LOG_FORMATS = {
  logfmt: (level, body) =>
    `ts=2026-01-01T10:00:00.123Z level=${level} caller=main.go:88 msg=${JSON.stringify(body)}`,
  JSON: (level, body) =>
    JSON.stringify({
      '@timestamp': '2026-01-01T10:00:00Z',
      'log.level': level,
      logger: 'c.s.A',
      message: body,
    }),
  klog: (level, body) =>
    `${level[0].toUpperCase()}0618 15:04:05.123456       1 server.go:114] ${body}`,
  syslog: (level, body) =>
    `<${level === 'error' ? 11 : level === 'warn' ? 12 : 14}>1 2026-01-01T10:00:00Z host-1 app 88 - - ${level.toUpperCase()} ${body}`,
  'Spring Boot': (level, body) =>
    `2026-01-01 10:00:00.123 ${level.toUpperCase().padStart(5)} 1 --- [nio-8080-exec-1] c.shop.orders.OrderService : ${body}`,
  Python: (level, body) =>
    `2026-01-01 10:00:00,123 - shop.orders - ${level === 'warn' ? 'WARNING' : level.toUpperCase()} - ${body}`,
  '.NET': (level, body) =>
    `${level === 'error' ? 'fail' : level}: Shop.Orders.OrderService[0] ${body}`,
};

/** The level stands in the line alone, as the programs write it that log text. */
const formatted = (format) => (seen) => ({
  ...seen,
  templates: seen.templates.map((each) => {
    const level = each.error ? 'error' : each.warning ? 'warn' : 'info';
    const body = format(level, each.sample.body);
    const severity = severityOf({ severity: '', body });
    return {
      ...each,
      error: severity === 'error',
      warning: severity === 'warning',
      sample: { ...each.sample, body, severity: '' },
    };
  }),
});

const TRACE = [
  '\tat com.shop.orders.OrderService.place(OrderService.java:88)',
  '\tat java.base/java.lang.Thread.run(Thread.java:1583)',
  '  File "/usr/lib/python3.12/site-packages/shop/views.py", line 88, in place',
  'goroutine 71 [running]:',
];

/** Each line of a stack trace is a line of its own, without a level. */
const stackTraces = (seen) => ({
  ...seen,
  templates: seen.templates.flatMap((each) =>
    each.error
      ? [
          each,
          ...TRACE.map((body, i) => ({
            ...each,
            id: `${each.id}/${i}`,
            error: false,
            warning: false,
            sample: { ...each.sample, body, severity: '' },
          })),
        ]
      : [each],
  ),
});

export const mangled = {
  ...Object.fromEntries(
    Object.entries(CONVENTIONS).map(([name, rows]) => [name, renamedMetrics(rows)]),
  ),
  'counters instead of rates': withSeries(asCounter),
  'gaps in all series': withSeries(gaps),
  'a wave of traffic': withSeries(seasonal),
  'ten more nodes, and noise': noisy,
  'alerts that fire always come first': moreAlerts,
  'every second edge is missing': fewerEdges,
  'deploys of something else': busyDay,
  ...Object.fromEntries(
    Object.entries(LOG_FORMATS).map(([name, format]) => [`logs of ${name}`, formatted(format)]),
  ),
  'stack traces as lines of their own': stackTraces,
};
