import { list } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import type { DiagnosisRow } from '../facts.js';
import { latestOfEach } from '../latest.js';
import { fewOf, runLine, shortened } from '../replies/report.js';
import { allDiagnosed } from '../subject/subject.js';
import { viewOfRun } from './topic-view.js';
import type { Topic } from './topics.js';

/**
 * What the latest diagnoses of other topologies than the one under discussion found about a topic.
 */
export interface ElsewhereFindings {
  /** Names the topology under discussion. */
  of: string;
  /** Names the topologies with such findings. */
  names: string[];
  lines: string[];
}

export function inOthers(asked: AnswerInput, topic: Topic, id: number): ElsewhereFindings {
  const all = latestOfEach(asked.facts);
  const affected = all.flatMap(({ topology, run }) =>
    run?.report &&
    topology.id !== id &&
    viewOfRun(asked, { run, shape: undefined }, topic, { readsLog: false }).faults.length > 0
      ? [run.run_id]
      : [],
  );
  const found = allDiagnosed(asked, affected);
  const lines = found.map((each) => {
    const { faults } = viewOfRun(asked, each, topic, { readsLog: false });
    return `- ${list(fewOf(faults))}. ${runLine(each.run)}`;
  });
  const nameOfTopology = ({ topology_id, topology_name }: DiagnosisRow) =>
    `topology ${topology_id} (${topology_name})`;
  const own = all.find(({ topology }) => topology.id === id)?.topology;
  return {
    of: own ? `topology ${id} (${own.name})` : `topology ${id}`,
    names: found.map(({ run }) => nameOfTopology(run)),
    lines: lines.length === 0 ? [] : ['Found in other topologies:', ...shortened(lines)],
  };
}

/** Says of which topology an answer is, and which others have such findings. */
export function withTopology(yesOrNo: string, apart: ElsewhereFindings | undefined): string {
  if (!apart) return yesOrNo;
  const { of, names } = apart;
  const own = `${yesOrNo.replace(/\.$/, '')}, in ${of}.`;
  const have = names.length === 1 ? 'has' : 'have';
  return names.length === 0
    ? own
    : `${own} Of the others, ${list(fewOf(names))} ${have} such findings.`;
}
