import { median } from './stats.mjs';

/** Rounds to three significant digits. */
export function figure(value) {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (value >= 1e6) return `${(value / 1e6).toPrecision(3)} M`;
  if (value >= 1_000) return Math.round(Number(value.toPrecision(3))).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

const spread = (values) =>
  values.length === 1 ? '' : `${figure(Math.min(...values))} to ${figure(Math.max(...values))}`;

const grid = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const verdict = (met) => (met === undefined ? 'not measured' : met ? 'met' : '**missed**');

/** A row of the bench, in Markdown. */
export function renderRow({ title, about }, table, command) {
  const measured = table.measurements.map(({ what, by, unit, values }) => [
    what,
    by,
    `${figure(median(values))} ${unit}`,
    spread(values),
    String(values.length),
  ]);
  const targets = table.targets.map(({ what, value, sign, wanted, unit, met }) => [
    what,
    `${sign === '>=' ? '≥' : '≤'} ${wanted} ${unit}`.trim(),
    value === undefined ? '–' : `${figure(value)} ${unit}`.trim(),
    verdict(met),
  ]);
  return [
    `## ${title}`,
    about,
    ...(measured.length > 0
      ? [grid(['what', 'who', 'median', 'from to', 'rounds'], measured)]
      : []),
    ...(targets.length > 0 ? [grid(['compared', 'target', 'here', ''], targets)] : []),
    ...(table.notes.length > 0 ? [table.notes.map((note) => `- ${note}`).join('\n')] : []),
    `Again: \`${command}\``,
  ].join('\n\n');
}

const NOT_MEASURED = [
  'A network: everything runs on one machine, over loopback. Latencies are those of processes, not of wires.',
  'More than one service process, and more than two cores. Server, Redis, appender and load generator share the cores; the generator is never idle while something is measured flat out.',
  'Redis Cluster, Sentinel, TLS, and `appendfsync always`.',
  'Real models and real probes: a run takes as long as they do.',
  'Slow clients: what they cost is tested for being bounded, not measured here.',
  'What the kernel holds for sockets.',
];

export function renderReport({ heading, machine, targets, rows, command, minutes }) {
  return `${[
    `# ${heading}`,
    `Written by \`${command}\` in ${minutes} minutes. Do not edit.`,
    machine.map((line) => `- ${line}`).join('\n'),
    'Medians of rounds. Contenders take turns within a round, so that other load of the machine affects all of them. M: million. An event has 350 bytes on the wire.',
    ...(targets ? [targets] : []),
    ...rows,
    '## Not measured',
    NOT_MEASURED.map((line) => `- ${line}`).join('\n'),
  ].join('\n\n')}\n`;
}

/** The table of all targets. */
export function renderTargets(tables) {
  const all = tables.flatMap(({ title, table }) =>
    table.targets.map(({ what, value, sign, wanted, unit, met }) => [
      title,
      what,
      `${sign === '>=' ? '≥' : '≤'} ${wanted} ${unit}`.trim(),
      value === undefined ? '–' : `${figure(value)} ${unit}`.trim(),
      verdict(met),
    ]),
  );
  return `## Targets\n\n${grid(['row', 'compared', 'target', 'here', ''], all)}`;
}
