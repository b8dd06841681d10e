import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import type { Asked } from '../asked.js';
import { isUnwell, nameOf, runLine, timeText } from '../replies/report.js';
import { rowLines } from '../replies/lists.js';
import { findRun } from '../subject.js';

/** Maximum of diagnoses that are read. */
const READ = 10;

/** Says in how many of the last diagnoses something was wrong with a node: the one that the question names, or the root cause. */
export function history(asked: Asked): string {
  const { question, facts } = asked;
  const found = findRun(asked);
  const { run, shape } = found;
  const node =
    nodesIn(question.names, shape)[0]?.id ??
    run.report?.root_causes[0]?.node ??
    run.report?.findings[0]?.node;
  const rows = facts.rows({
    topology_id: run.topology_id,
    status: 'completed',
    ...(question.time && {
      since: new Date(question.time.from).toISOString(),
      until: new Date(question.time.to - 1).toISOString(),
    }),
    limit: READ,
  });
  const of = `of topology ${run.topology_id} (${run.topology_name})`;
  if (rows.length === 0) return `No diagnosis ${of} completed in that time.\n${runLine(run)}`;
  const runs = facts.runs(rows.map(({ run_id }) => run_id));
  const unwell = runs.filter((each) =>
    node === undefined ? each.report?.verdict === 'issues_found' : isUnwell(each, node),
  );
  const name = node === undefined ? 'it' : nameOf(found, node);
  const from = timeText(rows.at(-1)?.created_at ?? run.created_at);
  const ids = new Set(unwell.map(({ run_id }) => run_id));
  return [
    `Something was wrong with ${name} in ${unwell.length} of the last ${rows.length === 1 ? 'diagnosis' : `${rows.length} diagnoses`} ${of}, since ${from}${unwell.length > 0 ? ':' : '.'}`,
    ...(unwell.length > 0 ? [rowLines(rows.filter(({ run_id }) => ids.has(run_id)))] : []),
  ].join('\n');
}
