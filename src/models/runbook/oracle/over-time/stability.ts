import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { list } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import { holdsFor } from '../measured/expectation.js';
import { measure } from '../measured/measure.js';
import { held, heldAt } from '../replies/parts.js';
import { fewOf, runLine, thenLine, timeText } from '../replies/report.js';
import { readRuns } from './read-runs.js';

/** Asks whether something changes between well and wrong, which one measurement does not show. */
export const STABILITY = /^\W*(?:is|are|was|were|has|have|how)\b.*\b(?:stable|unstable|flaky)\b/;
const UNSTABLE = /\b(?:unstable|flaky|not stable)\b/;
/** Fewer diagnoses do not show that something is stable. */
const LEAST = 3;

/**
 * Says how often the last diagnoses found something to be wrong with the nodes in question, or with
 * the topology; and measures these now if the chat has the topology.
 */
export function stability(asked: AnswerInput): string {
  const { question, brief } = asked;
  const { found, runs } = readRuns(asked);
  const nodes = nodesIn(question.names, found.shape);
  const what =
    nodes.length > 0 ? list(fewOf(nodes.map(({ name }) => name))) : found.run.topology_name;
  const isWrong = runs.map((run) =>
    nodes.length === 0
      ? held(run, 'wrong')
      : holdsFor(
          'any',
          nodes.map(({ id }) => heldAt(run, id, 'wrong')),
        ),
  );
  const known = isWrong.filter((each) => each !== undefined);
  const wrong = known.filter((each) => each).length;
  const latest = runs[0] ?? found.run;
  const since = timeText((runs.at(-1) ?? latest).created_at);
  const those =
    runs.length === 1 ? 'the only diagnosis' : `${wrong} of the last ${runs.length} diagnoses`;
  const counted =
    wrong === 0
      ? `Nothing was found to be wrong with ${what} in ${runs.length === 1 ? those : `the last ${runs.length} diagnoses`}, since ${since}.`
      : `Something was wrong with ${what} in ${those}, since ${since}${isWrong[0] === false ? '; not in the latest' : ''}.`;
  const judgement = judge({ wrong, well: known.length - wrong, isWrongNow: isWrong[0] === true });
  return [
    `${judgement[UNSTABLE.test(question.asks) ? 'unstable' : 'stable']} ${counted}`,
    'A single measurement does not show whether something is stable.',
    ...(brief.topology?.id === latest.topology_id ? [measure(asked)] : []),
    runLine(latest),
    thenLine(latest),
  ].join('\n');
}

/** Answers to whether it is stable, and to whether it is not. */
function judge({ wrong, well, isWrongNow }: { wrong: number; well: number; isWrongNow: boolean }) {
  const unknown = 'I cannot tell.';
  if (wrong === 0)
    return well < LEAST
      ? { stable: unknown, unstable: unknown }
      : { stable: 'Yes, so far.', unstable: 'No, not so far.' };
  return {
    stable: isWrongNow ? 'No.' : 'I cannot tell yet.',
    unstable: well > 0 ? 'Yes.' : unknown,
  };
}
