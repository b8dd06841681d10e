import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import type { AnswerInput } from '../answer-input.js';
import type { Run, Shape } from '../facts.js';
import type { DiagnosedRun } from '../replies/report.js';
import { findRun } from '../subject/subject.js';
import { outageOf, stateIn } from './outage.js';

/** Maximum of diagnoses that are considered, and how many of them are read at once. */
const BACK = 20;
const READ_AT_ONCE = 10;

type Node = Shape['nodes'][number];

const newestFirst = (a: Run, b: Run): number => (a.created_at < b.created_at ? 1 : -1);

/** The diagnoses of a topology over time. */
export interface RunHistory {
  found: DiagnosedRun;
  /** The diagnoses of its topology, newest first; up to the run that the question names. */
  runs: Run[];
  nodes: Node[];
  isAll: boolean;
}

/** Reads the diagnoses of the topology in question until they suffice: a part of them, then all. */
export function readRuns(
  asked: AnswerInput,
  suffices: (runs: readonly Run[], nodes: readonly Node[]) => boolean = () => true,
): RunHistory {
  const { facts, question } = asked;
  const found = findRun(asked);
  const { topology_id } = found.run;
  const rows = facts
    .rows({ topology_id, status: 'completed', limit: BACK })
    .filter(({ created_at }) => question.runIds.length === 0 || created_at <= found.run.created_at);
  const isAll = rows.length < BACK;
  const readFirst = (n: number): RunHistory => {
    const ids = rows.slice(0, n).map(({ run_id }) => run_id);
    const runs = facts.runs([...new Set([...ids, found.run.run_id])]).toSorted(newestFirst);
    return { found, runs, isAll, nodes: nodesOf(asked, found, runs) };
  };
  const part = readFirst(READ_AT_ONCE);
  return rows.length <= READ_AT_ONCE || suffices(part.runs, part.nodes) ? part : readFirst(BACK);
}

/**
 * The nodes that a question names, or else the root causes of the last diagnosis that found
 * failures.
 */
function nodesOf(
  { question }: AnswerInput,
  { shape, run }: DiagnosedRun,
  runs: readonly Run[],
): Node[] {
  const named = nodesIn(question.names, shape);
  if (named.length > 0 || !shape) return named;
  const ofRun = (each: Run) => {
    const { root_causes = [], findings = [] } = each.report ?? {};
    const claims = root_causes.length > 0 ? root_causes : findings.slice(0, 1);
    return shape.nodes.filter(({ id }) => claims.some(({ node }) => node === id));
  };
  return [run, ...runs].map(ofRun).find((nodes) => nodes.length > 0) ?? [];
}

/**
 * Whether some nodes were found to be well by given diagnoses, and to be wrong by no earlier one.
 */
export function areIntact(
  asked: AnswerInput,
  { nodes, found }: { nodes: readonly Pick<Node, 'id'>[]; found: readonly Run[] },
): boolean {
  const isWell = ({ id }: Pick<Node, 'id'>) => found.every((run) => stateIn(run, id) === 'ok');
  if (nodes.length === 0 || !nodes.every(isWell)) return false;
  const { runs } = readRuns(asked);
  return nodes.every(({ id }) => outageOf(runs, id) === undefined);
}

/** The diagnosis that was discussed before, or else the latest one that completed. */
export function lastRun({ brief, before, facts }: AnswerInput): Run | undefined {
  const id = brief.topology?.id;
  const discussed = before.runId === undefined ? undefined : facts.run(before.runId);
  if (discussed?.topology_id === id && discussed?.report) return discussed;
  const [latest] = facts.rows({ topology_id: id, status: 'completed', limit: 1 });
  return latest && facts.run(latest.run_id);
}
