import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { escapeMarkdown } from '../../../../lib/markdown.js';
import type { Asked } from '../asked.js';
import { topicIn } from '../details/topics.js';
import type { Run } from '../facts.js';
import { onlyBroken } from '../latest.js';
import { withoutParts } from '../question.js';
import { stepsText, verdictText, type MarkdownText } from '../replies/compare.js';
import { timeText, type Diagnosed } from '../replies/report.js';
import { diagnosed, findRun, isNamed, isSaid, latestOf } from '../subject.js';

/**
 * Returns the next steps of the report in question, or those of the nodes in question. Without a topology that was named, or if the one that was discussed needs none,
 * that of the only one with a root cause.
 * @throws Instead if several have one
 */
export function nextSteps(given: Asked): MarkdownText {
  const asked = { ...given, question: withoutParts(given.question) };
  const isBroken = (run: Run) => run.report?.verdict === 'root_cause_found';
  const said = isSaid(asked) ? newestFor(asked) : undefined;
  const nodes = nodesIn(asked.question.names, said?.shape);
  const topic = topicIn(asked.question.asks);
  const isMeant =
    said !== undefined &&
    (nodes.length > 0 ||
      isNamed(asked) ||
      isBroken(said.run) ||
      (said.run.report?.next_steps ?? []).length > 0);
  if (isMeant) return withNewest(asked, said, stepsText(said, nodes, topic));
  const broken = onlyBroken(asked.facts);
  return stepsText(broken ? diagnosed(asked, broken.run_id) : (said ?? findRun(asked)), [], topic);
}

/** Returns the latest diagnosis of the topology in question, or the diagnosis that the question names. */
function newestFor(asked: Asked): Diagnosed {
  const found = findRun(asked);
  return asked.question.runIds.length > 0 || found.run.status !== 'completed'
    ? found
    : latestOf(asked, found.run.topology_id);
}

/** Says first if steps are those of an old diagnosis, and what the latest one found or was measured since. */
function withNewest(asked: Asked, { run }: Diagnosed, steps: MarkdownText): MarkdownText {
  const { topology_id, created_at } = run;
  const [newest] = asked.facts.rows({ topology_id, status: 'completed', limit: 1 });
  const later = newest && newest.created_at > created_at ? newest : undefined;
  const note = later
    ? `These are the steps of an old diagnosis, of ${timeText(created_at)}. The latest one, of ${timeText(later.created_at)}, found: ${verdictText(diagnosed(asked, later.run_id))}`
    : measuredSince(asked, run);
  return note === undefined ? steps : { markdown: `${escapeMarkdown(note)}\n\n${steps.markdown}` };
}

/** Says what the conversation has measured to be well since a diagnosis. */
function measuredSince({ recovered }: Asked, { ended_at, created_at, topology_id }: Run) {
  const end = timeText(ended_at ?? created_at);
  return recovered === undefined || recovered.since < end
    ? undefined
    : `${recovered.text} That was measured since; these are the steps of the diagnosis of ${end}. For new ones, ask me to "diagnose topology ${topology_id}".`;
}
