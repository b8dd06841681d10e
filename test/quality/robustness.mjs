// `node --import ./scripts/ts.mjs test/quality/robustness.mjs FOLDER TRUTH_FOLDER [--cases] [--only
// PATTERN] [--set NAME] [--half tuned|other]`: ranks the recorded incidents of a folder by the
// engine alone after their observations were changed as another system, another tool or an
// incomplete recording would have them, and prints the tables of docs/quality.md: the scores, and
// how often first suspects of each confidence are right. `--cases` also names the incidents that
// each change gets wrong, `--only` selects changes by a regular expression, `--set` incidents by
// the beginning of their id, `--half` one half of them by its hash.
import { createHash } from 'node:crypto';
import { readIncidents, scored, tableOf } from './lib/incidents.mjs';
import { PERTURBATIONS } from './lib/perturbations.mjs';
import { readOptions } from '../../scripts/lib/options.mjs';

const { values, positionals } = readOptions(
  'node --import ./scripts/ts.mjs test/quality/robustness.mjs FOLDER TRUTH_FOLDER [--cases] [--only PATTERN] [--set NAME] [--half tuned|other]',
  {
    cases: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    set: { type: 'string', default: '' },
    half: { type: 'string', default: '' },
  },
  2,
);
const [folder, truthFolder] = positionals;

/** The half that the perturbations are tuned on, and the other one. */
const isTuned = (id) => createHash('sha1').update(id).digest()[1] % 2 === 0;
const isWanted = ({ id }) =>
  id.startsWith(values.set) && (values.half === '' || isTuned(id) === (values.half === 'tuned'));

const incidents = (await readIncidents(folder, truthFolder)).filter(isWanted);
for (const incident of incidents) incident.original = incident.truth;
const wanted = Object.entries(PERTURBATIONS).filter(([name]) => new RegExp(values.only).test(name));
const rows = wanted.map(([name, change]) => {
  const scores = scored(incidents, (seen, incident) => {
    incident.truth = incident.original;
    return change(seen, incident);
  });
  for (const incident of incidents) incident.truth = incident.original;
  return [name, scores];
});
console.log(tableOf(rows));

const EDGES = [0, 0.3, 0.5, 0.7, 0.8, 0.9, 1.01];
console.log('\n| confidence | first suspects | right |\n| --- | --- | --- |');
const suspects = rows.flatMap(([, scores]) =>
  scores.filter(({ confidence, accuracy }) => confidence !== undefined && accuracy),
);
for (const [i, from] of EDGES.slice(0, -1).entries()) {
  const to = EDGES[i + 1];
  const own = suspects.filter(({ confidence }) => confidence >= from && confidence < to);
  const right = own.filter(({ accuracy }) => accuracy[0] > 0.5).length;
  if (own.length > 0) console.log(`| ${from} to ${Math.min(1, to)} | ${own.length} | ${right} |`);
}

if (values.cases) {
  const isWrong = ({ accuracy, calm, change, text }) =>
    calm === false || change === false || text === false || (accuracy?.[0] ?? 1) < 1;
  for (const [name, scores] of rows)
    console.log(
      `\n${name}: ${scores
        .filter(isWrong)
        .map(({ id }) => id)
        .join(', ')}`,
    );
}
