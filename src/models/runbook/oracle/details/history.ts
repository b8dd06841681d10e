import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import type { AnswerInput } from '../answer-input.js';
import type { Run } from '../facts.js';
import { expectationOf, isHoped, yesOrNo } from '../measured/expectation.js';
import { isUnhealthy } from '../over-time/outage.js';
import { nameOf, runLine, timeText } from '../replies/report.js';
import { rowLines } from '../replies/lists.js';
import { findRun } from '../subject/subject.js';

/** Maximum of diagnoses that are read. */
const READ = 10;

const isBroken = ({ report }: Run): boolean =>
  report?.verdict === 'root_cause_found' || report?.verdict === 'issues_found';

/**
 * Says in how many of the last diagnoses something was wrong with a node: the one that the question
 * names, or the root cause; else with the topology.
 */
export function history(asked: AnswerInput): string {
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
  const unhealthy = runs.filter((each) =>
    node === undefined ? isBroken(each) : isUnhealthy(each, node),
  );
  const name = node === undefined ? run.topology_name : nameOf(found, node);
  const from = timeText(rows.at(-1)?.created_at ?? run.created_at);
  const ids = new Set(unhealthy.map(({ run_id }) => run_id));
  const isOne = rows.length === 1;
  const those = isOne ? 'the last diagnosis' : `the last ${rows.length} diagnoses`;
  const expected = expectationOf(question.asks);
  // "Was it ever down?"
  const isAsked = expected !== undefined && !isHoped(expected);
  const judgement = isAsked ? [yesOrNo(unhealthy.length > 0)] : [];
  if (unhealthy.length === 0)
    return [
      ...judgement,
      `Nothing was found to be wrong with ${name} in ${those} ${of}, since ${from}.`,
    ].join(' ');
  const share = isOne ? those : `${unhealthy.length} of ${those}`;
  return [
    [...judgement, `Something was wrong with ${name} in ${share} ${of}, since ${from}:`].join(' '),
    rowLines(rows.filter(({ run_id }) => ids.has(run_id))),
  ].join('\n');
}
