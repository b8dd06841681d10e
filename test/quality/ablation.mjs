// `node --import ./scripts/ts.mjs test/quality/ablation.mjs FOLDER TRUTH_FOLDER [FOLDER
// TRUTH_FOLDER …] [--plot FILE.svg]`: ranks recorded incidents by the engine alone, without the
// service, and prints the tables of docs/quality.md: the scores with everything and without each
// kind of evidence, of the held-out part, and without each rule. `--plot` draws confidence against
// how often it was right.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { summarise } from '../../src/cli/evaluation/score-table.ts';
import { rankRootCauses } from '../../src/engine/rank-root-causes.ts';
import { FAULTS_IN_KUBERNETES } from '../support/scenes/faults-in-kubernetes.ts';
import { FAULTS_IN_LOGS } from '../support/scenes/faults-in-logs.ts';
import { FAULTS_IN_METRICS } from '../support/scenes/faults-in-metrics.ts';
import { calibrationPlot } from './lib/calibration-plot.mjs';
import { readIncidents, scoreOf, scored, tableOf } from './lib/incidents.mjs';
import { readOptions } from '../../scripts/lib/options.mjs';
import { PERTURBATIONS } from './lib/perturbations.mjs';
import { listen, RULES } from './lib/rule-tables.mjs';

const { values, positionals } = readOptions(
  'node --import ./scripts/ts.mjs test/quality/ablation.mjs FOLDER TRUTH_FOLDER [FOLDER TRUTH_FOLDER …] [--plot FILE.svg]',
  { plot: { type: 'string' } },
  2,
);

/** What each row leaves out of the observations. */
const EVIDENCE = {
  everything: (seen) => seen,
  'without metrics': (seen) => ({ ...seen, series: [] }),
  'without logs': (seen) => ({ ...seen, templates: [], patterns: [], notes: new Map() }),
  'without errors that surge': (seen) => ({
    ...seen,
    templates: seen.templates.map((each) => ({ ...each, late: { counts: [], widthMs: 1 } })),
  }),
  'without traces': (seen) => ({ ...seen, spans: [], notes: new Map() }),
  'without changes': (seen) => ({ ...seen, changes: [] }),
  'without changes that have no diff': (seen) => ({
    ...seen,
    changes: seen.changes.filter(({ kind }) => kind === 'commit' || kind === 'deploy'),
  }),
  'without Kubernetes and other tools': (seen) => ({
    ...seen,
    kubernetes: [],
    kubernetesByNode: new Map(),
    recordings: [],
  }),
  'without status pages': (seen) => ({ ...seen, status: [] }),
  'without the call graph': (seen) => ({
    ...seen,
    nodes: seen.nodes.map((node) => ({ ...node, dependsOn: [] })),
  }),
  'without the baseline': withoutBaseline,
  'without the alert': (seen) => ({ ...seen, alerts: [] }),
};

function withoutBaseline({ frame: { baseline, ...frame }, series, spans, ...seen }) {
  const isUsual = (at) => baseline !== undefined && at >= baseline.from && at <= baseline.to;
  return {
    ...seen,
    frame,
    series: series.filter(({ times }) => !isUsual(times[0])),
    spans: spans.filter(({ start }) => !isUsual(start)),
  };
}

/** A part of the incidents that no rule may be tuned on: a quarter, by the hash of the id. */
const isHeldOut = (id) => createHash('sha1').update(id).digest()[0] < 64;

const incidents = [];
for (let i = 0; i + 1 < positionals.length; i += 2)
  for (const incident of await readIncidents(positionals[i], positionals[i + 1]))
    if (!incidents.some(({ id }) => id === incident.id)) incidents.push(incident);

console.log('Without each kind of evidence:\n');
const rows = Object.entries(EVIDENCE).map(([name, change]) => [name, scored(incidents, change)]);
console.log(tableOf(rows));
const [[, everything]] = rows;
if (values.plot !== undefined) {
  const told = everything.filter(
    ({ confidence, accuracy }) => confidence !== undefined && accuracy,
  );
  const points = told.map(({ confidence, accuracy }) => ({
    confidence,
    isRight: accuracy[0] > 0.5,
  }));
  writeFileSync(values.plot, `${calibrationPlot(points)}\n`);
}

console.log('\nHeld out, and the rest:\n');
console.log('| part | incidents | AC@1 | Avg@5 | kind | change | text | missed |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const [name, is] of Object.entries({ 'held out': true, 'the rest': false })) {
  const { count, accuracy, parts } = summarise(everything.filter(({ id }) => isHeldOut(id) === is));
  const shares = [accuracy[0], accuracy.at(-1)].map((share) => share.toFixed(3));
  const { kind, change, text, missed } = parts;
  const others = [kind, change, text, missed].map((part) => part.join('/'));
  console.log(`| ${[name, count, ...shares, ...others].join(' | ')} |`);
}

/** What is right of a score: the more, the better. */
const pointsOf = ({ calm, accuracy, kind, change, text, decoy }) =>
  (accuracy?.[0] ?? 0) + [calm, kind, change, text, decoy === false].filter(Boolean).length;

/**
 * Changes to the observations under which each rule is tried as well: those that take something
 * away or call it otherwise.
 */
const TRIED = [
  'as it was recorded',
  'other names of nodes',
  'one series in four is missing',
  'one log pattern in four is missing',
  'logs without a severity',
  'the alert names no metric',
  'metrics of OpenTelemetry',
  'metrics of CloudWatch',
  'every second edge is missing',
];
/** Whole traces and long tables take most of the time, and no rule of the tables speaks in them. */
const readable = incidents.filter(
  ({ seen }) => seen.spans.length < 200 && seen.series.length < 250,
);
const byHand = [...FAULTS_IN_LOGS, ...FAULTS_IN_METRICS, ...FAULTS_IN_KUBERNETES];
const trials = [
  ...TRIED.flatMap((name, i) =>
    readable.map((incident) => {
      const own = { ...incident, original: incident.truth };
      const seen = PERTURBATIONS[name](incident.seen, own);
      return { group: i === 0 ? 0 : 1, points: () => pointsOf(scoreOf(own, seen)) };
    }),
  ),
  ...byHand.map(({ node, kind, seen }) => ({
    group: 2,
    points: () => {
      const [first] = rankRootCauses(seen, '').causes;
      return Number(first?.node === node) + Number(first?.node === node && first.kind === kind);
    },
  })),
];
for (const trial of trials) {
  const { result, isHeard } = listen(trial.points);
  Object.assign(trial, { before: result, isHeard });
}
const counts = [0, 1, 2].map((group) => trials.filter((trial) => trial.group === group).length);
console.log(`
Without each rule: of ${counts[0]} recorded incidents, ${counts[1]} that were changed as ${TRIED.length - 1} rows of the robustness table
change them, and ${counts[2]} made by hand, how many get worse and how many better:
`);
console.log('| rule | heard | recorded | changed | by hand |');
console.log('| --- | --- | --- | --- | --- |');
for (const rule of RULES) {
  const heard = trials.filter(({ isHeard }) => isHeard(rule));
  const after = heard.map(({ group, before, points }) => {
    const difference = rule.without(points) - before;
    return { group, worse: difference < -1e-9, better: difference > 1e-9 };
  });
  const cells = [0, 1, 2].map((group) => {
    const own = after.filter((each) => each.group === group);
    const [worse, better] = ['worse', 'better'].map((is) => own.filter((each) => each[is]).length);
    return worse + better === 0 ? '' : better === 0 ? `−${worse}` : `−${worse} +${better}`;
  });
  console.log(`| ${rule.kind}: ${rule.name} | ${heard.length} | ${cells.join(' | ')} |`);
}
