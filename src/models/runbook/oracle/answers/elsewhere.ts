import { list } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import { brokenRows } from '../latest.js';
import { fewOf, type DiagnosedRun } from '../replies/report.js';
import { isNamed } from '../subject/subject.js';

/**
 * Names the other topologies with a root cause, if a question does not say which one it means; else
 * empty.
 */
export function elsewhereLines(asked: AnswerInput, { run }: DiagnosedRun): string[] {
  if (isNamed(asked)) return [];
  const names = brokenRows(asked.facts)
    .filter(({ topology_id: id }) => id !== run.topology_id)
    .map(({ topology_id: id, topology_name: name }) => `${name} (topology ${id})`);
  return names.length === 0
    ? []
    : [
        `Something is wrong elsewhere: ${list(fewOf(names))}. Name it in the question if you mean that.`,
      ];
}

/** As `elsewhereLines`, if nothing is wrong in the topology that the conversation is about. */
export const elsewhereIfWell = (asked: AnswerInput, found: DiagnosedRun): string[] =>
  found.run.report?.verdict === 'healthy' ? elsewhereLines(asked, found) : [];
