import type { Shape } from '../facts.js';
import { list } from '../../plan.js';
import { isUnwell, timeText, type Diagnosed } from './report.js';

/** Asks whether trouble has ended. */
const RECOVERY =
  /^\W*(?:and\W+)?(?:is|are|was|were|has|have)\b.*\b(?:fixed|resolved|solved|repaired|recovered|gone|over|back|better)\b|^\W*(?:and\W+)?did\b.*\b(?:recover|work|help|come back)\b/;

export const asksForRecovery = (asks: string): boolean => RECOVERY.test(asks);

/**
 * Says whether the trouble of nodes, or of all nodes, has ended: by the latest diagnosis.
 * @param isSince whether that was measured since the trouble was reported, or just now
 */
export function recoveryText({ run }: Diagnosed, nodes: Shape['nodes'], isSince: boolean): string {
  const { report } = run;
  const at = timeText(run.ended_at ?? run.created_at);
  const ids = nodes.map(({ id }) => id);
  const isMeant = (node: string) => ids.length === 0 || ids.includes(node);
  const isBad =
    report?.root_causes.some(({ node }) => isMeant(node)) === true ||
    report?.findings.some(({ node }) => isMeant(node) && isUnwell(run, node)) === true;
  if (isBad)
    return isSince
      ? `No, not at ${at}, when it was last measured.`
      : `Not checked since ${at}, when it was not fixed.`;
  const isUnseen =
    report === null ||
    (ids.length === 0
      ? report.verdict !== 'healthy'
      : report.unchecked.some(({ node }) => isMeant(node)));
  if (isUnseen) return `I cannot tell: the measurements of ${at} do not show it.`;
  const what = nodes.length === 0 ? '' : ` with ${list(nodes.map(({ name }) => name))}`;
  return `Yes, at ${at} nothing was found to be wrong${what}.`;
}
