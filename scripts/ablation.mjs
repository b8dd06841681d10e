// `node --import ./scripts/ts.mjs scripts/ablation.mjs FOLDER TRUTH_FOLDER [--out REPORTS.jsonl]`: ranks the recorded incidents of a
// folder by the engine alone, without the service, and prints the tables of docs/quality.md: the scores with everything and without
// each kind of evidence, of the held-out part, and the rules without which a score falls. `--out` writes the reports, for
// scripts/calibration-plot.mjs.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { summarise } from '../src/cli/evaluation/score-table.ts';
import { EFFECTS } from '../src/domain/engine/changes/mechanism.ts';
import { SYMPTOM_PATTERNS } from '../src/domain/engine/symptoms.ts';
import { readIncidents, reportOf, scored, tableOf } from './lib/incidents.mjs';
import { readOptions } from './lib/options.mjs';

const { values, positionals } = readOptions(
  'node --import ./scripts/ts.mjs scripts/ablation.mjs FOLDER TRUTH_FOLDER [--out REPORTS.jsonl]',
  { out: { type: 'string' } },
  2,
);
const [folder, truthFolder] = positionals;

/** What each row leaves out of the observations. */
const EVIDENCE = {
  everything: (seen) => seen,
  'without metrics': (seen) => ({ ...seen, series: [] }),
  'without logs': (seen) => ({ ...seen, templates: [], patterns: [], notes: new Map() }),
  'without traces': (seen) => ({ ...seen, spans: [], notes: new Map() }),
  'without changes': (seen) => ({ ...seen, changes: [] }),
  'without Kubernetes and other tools': (seen) => ({ ...seen, kubernetes: [], recordings: [] }),
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

const incidents = await readIncidents(folder, truthFolder);
if (values.out !== undefined) {
  const lines = incidents.map((incident) => JSON.stringify(reportOf(incident, incident.seen)));
  writeFileSync(values.out, `${lines.join('\n')}\n`);
}
console.log(
  tableOf(Object.entries(EVIDENCE).map(([name, without]) => [name, scored(incidents, without)])),
);

console.log('\nHeld out, and the rest:\n');
const [held, rest] = [true, false].map((is) => incidents.filter(({ id }) => isHeldOut(id) === is));
for (const [name, part] of Object.entries({ 'held out': held, rest })) {
  const { count, accuracy, parts } = summarise(scored(part, EVIDENCE.everything));
  const shares = accuracy.map((share) => share.toFixed(3)).join(', ');
  console.log(`${name}: ${count} incidents, AC@1, AC@3, AC@5, Avg@5: ${shares}`, parts);
}

/** Whether a score is right in all that its truth tells. */
const points = ({ calm, accuracy, kind, change, text, decoy }) =>
  [calm, accuracy && accuracy[0] === 1, kind, change, text, decoy === false].filter(Boolean).length;

console.log('\nRules without which an incident gets worse or better:\n');
const byChanges = incidents.filter(
  ({ seen }) => seen.spans.length < 200 && seen.series.length < 200,
);
const before = scored(byChanges, EVIDENCE.everything).map(points);
const NEVER = /(?!)/;
const idle = [];
for (const [rules, rulesTable, nothing] of [
  ['mechanism', EFFECTS, {}],
  ['symptom', SYMPTOM_PATTERNS, NEVER],
])
  for (const [name, rule] of Object.entries(rulesTable)) {
    rulesTable[name] = nothing;
    const after = scored(byChanges, EVIDENCE.everything).map(points);
    rulesTable[name] = rule;
    const worse = byChanges.filter((_, i) => after[i] < before[i]).length;
    const better = byChanges.filter((_, i) => after[i] > before[i]).length;
    if (worse + better === 0) idle.push(`${rules} ${name}`);
    else console.log(`| ${rules} \`${name}\` | ${worse} | ${better} |`);
  }
console.log(`\nWithout effect on these incidents: ${idle.join(', ')}`);
