// What the scripts that measure the engine share: incidents with their observations, reports of the
// engine alone, and tables.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scoreReport } from '../../../src/cli/evaluation/score.ts';
import { bySet, summarise } from '../../../src/cli/evaluation/score-table.ts';
import { readTruths } from '../../../src/cli/evaluation/truth.ts';
import { rankRootCauses } from '../../../src/engine/rank-root-causes.ts';
import { observe } from '../../../src/sources/observe.ts';
import { openBundle } from '../../../src/sources/recording/bundle.ts';
import { recordedSources } from '../../../src/sources/recording/recorded-sources.ts';

/** The incidents of a folder that have a truth: `{id, truth, seen, question}`. */
export async function readIncidents(folder, truthFolder, isWanted = () => true) {
  const truths = await readTruths(truthFolder);
  const incidents = [];
  for (const id of readdirSync(folder)) {
    const path = join(folder, id);
    if (!truths.has(id) || !statSync(path).isDirectory() || !isWanted({ id })) continue;
    const bundle = await openBundle(path);
    const nodes = bundle.topology.nodes.map((node) => ({ attributes: {}, dependsOn: [], ...node }));
    const sources = recordedSources(bundle, nodes);
    const seen = await observe(sources, nodes, new AbortController().signal);
    incidents.push({ id, truth: truths.get(id), seen, question: bundle.manifest.message ?? '' });
  }
  return incidents;
}

/** The report that the engine alone makes of observations. */
function reportOf({ id, question }, seen) {
  const { healthy, causes } = rankRootCauses(seen, question);
  const ranked = causes.map(({ node, kind, score, change = 'none' }, rank) => ({
    node,
    kind,
    score,
    ...(rank === 0 && { change }),
  }));
  const [first] = causes;
  return {
    incidentId: id,
    healthy,
    ranked,
    text: first === undefined ? '' : [first.title, ...first.for].join('\n'),
    verdict: '',
    ...(first && { confidence: first.confidence }),
    seconds: 0,
    tokens: 0,
  };
}

/** The score of the engine's report of observations. */
export const scoreOf = (incident, seen) => scoreReport(incident.truth, reportOf(incident, seen));

/** The scores of incidents whose observations are changed before. */
export const scored = (incidents, change) =>
  incidents.map((incident) => {
    // Before its truth is read, which may change with it.
    const seen = change(incident.seen, incident);
    return scoreOf(incident, seen);
  });

/** A score in few words: AC@1 and changes, or what else the set asks for. */
function cell(summary) {
  if (summary === undefined) return '–';
  const { accuracy, parts } = summary;
  const of = ([right, all], unit) => `${right}/${all} ${unit}`;
  if (parts.calm[1] > 0) return of(parts.calm, 'calm');
  if (parts.text[1] > 0) return of(parts.text, 'text');
  const first = accuracy[0].toFixed(2);
  return parts.change[1] > 0 ? `${first}, ${parts.change.join('/')}` : first;
}

/** A table in Markdown of named scores, a column for each set. */
export function tableOf(rows) {
  const sets = [...bySet(rows[0][1]).keys()];
  return [
    `|  | ${sets.join(' | ')} |`,
    `| --- |${sets.map(() => ' --- |').join('')}`,
    ...rows.map(([name, scores]) => {
      const own = bySet(scores);
      const cells = sets.map((set) => cell(own.has(set) ? summarise(own.get(set)) : undefined));
      return `| ${name} | ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}
