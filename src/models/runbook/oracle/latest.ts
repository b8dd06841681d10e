import { SeveralFit, type Facts, type TopologyRow, type DiagnosisRow, type Run } from './facts.js';

/** Maximum of topologies in one answer. */
const MOST = 20;

/** Returns the topologies with a row of their latest completed diagnosis, at most 20. */
function latestRows(facts: Facts): { topology: TopologyRow; row: DiagnosisRow | undefined }[] {
  const shown = facts.topologies().slice(0, MOST);
  const rows = facts.rowsOf(
    shown.map(({ id }) => ({ topology_id: id, status: 'completed', limit: 1 })),
  );
  return shown.map((topology, i) => ({ topology, row: rows[i]?.[0] }));
}

/** Returns the topologies with their latest completed diagnoses, at most 20. */
export function latestOfEach(facts: Facts): { topology: TopologyRow; run: Run | undefined }[] {
  const latest = latestRows(facts);
  const runs = facts.runs(latest.flatMap(({ row }) => row?.run_id ?? []));
  return latest.map(({ topology, row }) => ({
    topology,
    run: runs.find(({ run_id }) => run_id === row?.run_id),
  }));
}

/** Returns the latest diagnosis of each topology that has a root cause. Reads no report. */
export const brokenRows = (facts: Facts): DiagnosisRow[] =>
  latestRows(facts).flatMap(({ row }) => (row?.verdict === 'root_cause_found' ? [row] : []));

/**
 * Returns the diagnosis that a question means if it names no topology and none was discussed: that
 * of the only topology with a root cause. Undefined if none has one.
 * @throws SeveralFit if several have one
 */
export function onlyBroken(facts: Facts): DiagnosisRow | undefined {
  const broken = brokenRows(facts);
  if (broken.length > 1)
    throw new SeveralFit(
      `Which topology? Several have a root cause:\n${broken.map(({ topology_id: id, topology_name: name }) => `- ${id}: ${name}`).join('\n')}`,
      facts.topologies().filter(({ id }) => broken.some(({ topology_id }) => topology_id === id)),
    );
  return broken[0];
}
