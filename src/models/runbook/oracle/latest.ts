import { SeveralFit, type Facts, type TopologyRow, type DiagnosisRow } from './facts.js';
import type { LatestRun } from './replies/every-topology.js';

/** Maximum of topologies in one answer. */
const MOST = 20;
/** Maximum of diagnoses of a topology among which one that found a failure is looked for. */
const BACK = 20;

/** The verdicts of diagnoses that found a failure. */
const FAILURES: ReadonlySet<string | null | undefined> = new Set([
  'root_cause_found',
  'issues_found',
]);

export const hasFailure = ({ verdict }: DiagnosisRow): boolean => FAILURES.has(verdict);

interface LatestRow {
  topology: TopologyRow;
  row: DiagnosisRow | undefined;
}

/** Returns the last completed diagnoses of a topology, newest first. */
export const lastRows = (facts: Facts, topology_id: number): DiagnosisRow[] =>
  facts.rows({ topology_id, status: 'completed', limit: BACK });

/** Returns the topologies with their last completed diagnoses, at most 20. */
function rowsOfEach(
  facts: Facts,
  limit: number,
): { topology: TopologyRow; rows: DiagnosisRow[] }[] {
  const shown = facts.topologies().slice(0, MOST);
  const rows = facts.rowsOf(
    shown.map(({ id }) => ({ topology_id: id, status: 'completed', limit })),
  );
  return shown.map((topology, i) => ({ topology, rows: rows[i] ?? [] }));
}

/** Returns the topologies with a row of their latest completed diagnosis, at most 20. */
const latestRows = (facts: Facts): LatestRow[] =>
  rowsOfEach(facts, 1).map(({ topology, rows }) => ({ topology, row: rows[0] }));

/** Returns the topologies with a row of their last diagnosis that found a failure, at most 20. */
const failureRows = (facts: Facts): LatestRow[] =>
  rowsOfEach(facts, BACK).map(({ topology, rows }) => ({ topology, row: rows.find(hasFailure) }));

function runsOf(facts: Facts, all: readonly LatestRow[]): LatestRun[] {
  const runs = facts.runs(all.flatMap(({ row }) => row?.run_id ?? []));
  return all.map(({ topology, row }) => ({
    topology,
    run: runs.find(({ run_id }) => run_id === row?.run_id),
  }));
}

/** Returns the topologies with their latest completed diagnoses, at most 20. */
export const latestOfEach = (facts: Facts): LatestRun[] => runsOf(facts, latestRows(facts));

/** Returns the topologies with their last diagnoses that found a failure, at most 20. */
export const lastFailureOfEach = (facts: Facts): LatestRun[] => runsOf(facts, failureRows(facts));

/** Returns the latest diagnosis of each topology that has a root cause. Reads no report. */
export const brokenRows = (facts: Facts): DiagnosisRow[] =>
  latestRows(facts).flatMap(({ row }) => (row?.verdict === 'root_cause_found' ? [row] : []));

/**
 * Returns the diagnosis that a question means if it names no topology and none was discussed: that
 * of the only topology with a root cause. Undefined if none has one.
 * @throws SeveralFit if several have one
 */
export const onlyBroken = (facts: Facts): DiagnosisRow | undefined =>
  only(facts, brokenRows(facts), 'Several have a root cause');

/** As `onlyBroken`, of a question about what was: that of the only topology that had failures. */
export const onlyFailed = (facts: Facts): DiagnosisRow | undefined =>
  only(
    facts,
    failureRows(facts).flatMap(({ row }) => row ?? []),
    'Several had failures',
  );

function only(
  facts: Facts,
  rows: readonly DiagnosisRow[],
  several: string,
): DiagnosisRow | undefined {
  if (rows.length > 1)
    throw new SeveralFit(
      `Which topology? ${several}:\n${rows.map(({ topology_id: id, topology_name: name }) => `- ${id}: ${name}`).join('\n')}`,
      facts.topologies().filter(({ id }) => rows.some(({ topology_id }) => topology_id === id)),
    );
  return rows[0];
}
