import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { list } from '../../plan.js';
import type { Asked } from '../asked.js';
import type { Run, Shape } from '../facts.js';
import { measure } from '../measured/measure.js';
import {
  fewOf,
  runLine,
  shortened,
  thenLine,
  timeText,
  type Diagnosed,
} from '../replies/report.js';
import { findRun } from '../subject.js';
import { beginText, endText, isUnwell, outageOf, type Outage } from './outage.js';

/** Maximum of diagnoses that are considered, and how many of them are read at once. */
const [BACK, READ_AT_ONCE] = [20, 10];

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
  const { found, runs } = read(asked, () => true);
  const latest = runs[0] ?? found.run;
  const nodes = found.shape?.nodes ?? [];
  const isOpen = nodes.some(({ id }) => isUnwell(latest, id));
  if (isOpen && asked.brief.topology?.id === latest.topology_id) return measure(asked);
  const all = nodes.flatMap(({ id, name }) => {
    const outage = outageOf(runs, id);
    return outage ? [{ name, outage }] : [];
  });
  const over = all.filter(({ outage }) => outage.after);
  const open = all.filter(({ outage }) => !outage.after).map(({ name }) => name);
  const still =
    open.length === 0
      ? []
      : [`Still unwell in the latest diagnosis that checked them: ${list(fewOf(open))}.`];
  return [
    over.length > 0
      ? 'Recovered:'
      : `No node recovered in ${those(runs.length)} of topology ${latest.topology_id}, since ${sinceTime(runs, latest)}.`,
    ...shortened(over.map(({ name, outage }) => `- ${endText(name, outage)}`)),
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
  const { found, runs, nodes, isAll } = read(asked, isComplete);
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

const newestFirst = (a: Run, b: Run): number => (a.created_at < b.created_at ? 1 : -1);

interface Read {
  found: Diagnosed;
  /** The diagnoses of its topology, newest first; up to the run that the question names. */
  runs: Run[];
  nodes: Node[];
  isAll: boolean;
}

/** Reads the diagnoses of the topology in question until they suffice: a part of them, then all. */
function read(
  asked: Asked,
  suffices: (runs: readonly Run[], nodes: readonly Node[]) => boolean,
): Read {
  const { facts, question } = asked;
  const found = findRun(asked);
  const { topology_id } = found.run;
  const rows = facts
    .rows({ topology_id, status: 'completed', limit: BACK })
    .filter(({ created_at }) => question.runIds.length === 0 || created_at <= found.run.created_at);
  const isAll = rows.length < BACK;
  const readFirst = (n: number): Read => {
    const ids = rows.slice(0, n).map(({ run_id }) => run_id);
    const runs = facts.runs([...new Set([...ids, found.run.run_id])]).toSorted(newestFirst);
    return { found, runs, isAll, nodes: nodesOf(asked, found, runs) };
  };
  const part = readFirst(READ_AT_ONCE);
  return rows.length <= READ_AT_ONCE || suffices(part.runs, part.nodes) ? part : readFirst(BACK);
}

/** The nodes that a question names, or else the root causes of the last diagnosis that found trouble. */
function nodesOf({ question }: Asked, { shape, run }: Diagnosed, runs: readonly Run[]): Node[] {
  const named = nodesIn(question.names, shape);
  if (named.length > 0 || !shape) return named;
  const ofRun = (each: Run) => {
    const { root_causes = [], findings = [] } = each.report ?? {};
    const claims = root_causes.length > 0 ? root_causes : findings.slice(0, 1);
    return shape.nodes.filter(({ id }) => claims.some(({ node }) => node === id));
  };
  return [run, ...runs].map(ofRun).find((nodes) => nodes.length > 0) ?? [];
}
