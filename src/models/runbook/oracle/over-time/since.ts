import { list } from '../../plan.js';
import type { Asked } from '../asked.js';
import type { Run, Shape } from '../facts.js';
import { stateNow } from '../details/topic-view.js';
import { measure } from '../measured/measure.js';
import { fewOf, runLine, shortened, thenLine, timeText } from '../replies/report.js';
import { beginText, endText, isUnwell, outageOf, type Outage } from './outage.js';
import { readRuns } from './read-runs.js';

type Node = Shape['nodes'][number];

/** Says since when nodes are unwell, or when their last outage began and ended, from the diagnoses. */
export function since(asked: Asked): string {
  return outages(asked, (name, outage, extent) => {
    const begin = beginText(name, outage, extent);
    return outage.after ? `${begin} ${endText(name, outage)}` : begin;
  });
}

/** Says when nodes recovered, from the diagnoses. */
export const recoveredWhen = (asked: Asked): string => outages(asked, endText);

/** Says which nodes have recovered: measured now in the chat of a topology whose latest diagnosis found trouble, else by the diagnoses. */
export function whatRecovered(asked: Asked): string {
  const { found, runs } = readRuns(asked);
  const latest = runs[0] ?? found.run;
  const nodes = found.shape?.nodes ?? [];
  const all = nodes.flatMap(({ id, name }) => {
    const outage = outageOf(runs, id);
    return outage ? [{ name, outage }] : [];
  });
  const over = all.filter(({ outage }) => outage.after);
  const unwell = nodes.filter(({ id }) => isUnwell(latest, id));
  const overLines = shortened(over.map(({ name, outage }) => `- ${endText(name, outage)}`));
  if (unwell.length > 0 && asked.brief.topology?.id === latest.topology_id) {
    const now = measure(asked);
    const isNone = over.length === 0 && unwell.every(({ id }) => stateNow(asked, id) !== 'ok');
    const before = over.length > 0 ? ['Recovered:', ...overLines] : [];
    return [...before, ...(isNone ? ['Nothing recovered.'] : []), now].join('\n');
  }
  const open = all.filter(({ outage }) => !outage.after).map(({ name }) => name);
  const still =
    open.length === 0
      ? []
      : [`Still unwell in the latest diagnosis that checked them: ${list(fewOf(open))}.`];
  return [
    over.length > 0
      ? 'Recovered:'
      : `No node recovered in ${those(runs.length)} of topology ${latest.topology_id}, since ${sinceTime(runs, latest)}.`,
    ...overLines,
    ...still,
    runLine(latest),
    thenLine(latest),
  ].join('\n');
}

const those = (n: number): string => (n === 1 ? 'the only diagnosis' : `the last ${n} diagnoses`);

const sinceTime = (runs: readonly Run[], latest: Run): string =>
  timeText((runs.at(-1) ?? latest).created_at);

type Describe = (name: string, outage: Outage, extent: { count: number; isAll: boolean }) => string;

/** Describes the last outage of each node in question. */
function outages(asked: Asked, describe: Describe): string {
  const isComplete = (runs: readonly Run[], nodes: readonly Node[]) =>
    nodes.length > 0 && nodes.every(({ id }) => outageOf(runs, id)?.before !== undefined);
  const { found, runs, nodes, isAll } = readRuns(asked, isComplete);
  const latest = runs[0] ?? found.run;
  const extent = { count: runs.length, isAll };
  const lines = nodes.map(({ id, name }) => {
    const outage = outageOf(runs, id);
    return outage
      ? describe(name, outage, extent)
      : `Nothing was found to be wrong with ${name} in ${those(runs.length)} of topology ${latest.topology_id}, since ${sinceTime(runs, latest)}.`;
  });
  const none = `Nothing was found to be wrong in ${those(runs.length)} of topology ${latest.topology_id}, since ${sinceTime(runs, latest)}: nothing began, and nothing had to recover.`;
  return [...(lines.length > 0 ? lines : [none]), runLine(latest), thenLine(latest)].join('\n');
}
