import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import type { AnswerInput } from '../answer-input.js';
import { nodeText } from '../replies/nodes.js';
import type { DiagnosedRun } from '../replies/report.js';
import { endText, outageOf, stateIn } from './outage.js';
import { readRuns } from './read-runs.js';

/** Asks about the past. */
const PAST = /\b(?:did|was|were|went|had|happened)\b/;

/**
 * Tells of the last outages of the nodes that a question about the past names, as far as the
 * diagnosis in question found them well.
 */
export function pastFaultLines(asked: AnswerInput, found: DiagnosedRun): string[] {
  const { asks, names, runIds } = asked.question;
  if (!PAST.test(asks) || runIds.length > 0) return [];
  const nodes = nodesIn(names, found.shape).filter(({ id }) => stateIn(found.run, id) === 'ok');
  if (nodes.length === 0) return [];
  const { runs } = readRuns(asked);
  return nodes.flatMap((node) => {
    const outage = outageOf(runs, node.id);
    if (!outage) return [];
    return [endText(node.name, outage), nodeText({ ...found, run: outage.last }, node)];
  });
}
