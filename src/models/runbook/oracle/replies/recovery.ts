import type { Shape } from '../facts.js';
import { isClaim, type Finding } from '../../../../domain/diagnosis/finding.js';
import { isDown } from '../measured/measured-node.js';
import type { Expectation } from '../measured/judgement.js';
import { list } from '../../plan.js';
import { timeText, type DiagnosedRun } from './report.js';

/** Asks whether faults have ended. */
const RECOVERY =
  /^\W*(?:and\W+)?(?:is|are|was|were|has|have)\b.*\b(?:fixed|resolved|solved|repaired|recovered|gone|over|back|better)\b|^\W*(?:and\W+)?did\b.*\b(?:recover|work|help|come back)\b/;

export const asksForRecovery = (asks: string): boolean => RECOVERY.test(asks);

/**
 * Says whether the faults of nodes, or of all nodes, have ended: by the latest diagnosis.
 * @param isSince whether that was measured since the faults were reported, or just now
 */
export function recoveryText(found: DiagnosedRun, nodes: Shape['nodes'], isSince: boolean): string {
  return isSince || stateOf(found, nodes) !== 'wrong'
    ? verdictOn(found, nodes, 'well')
    : `I cannot tell: it was not checked since ${timeOf(found)}, when it was not fixed.`;
}

/** Says with yes or no whether nodes, or all nodes, were as a question expects. */
export function verdictOn(
  found: DiagnosedRun,
  nodes: Shape['nodes'],
  expected: Expectation,
): string {
  const at = timeOf(found);
  switch (stateOf(found, nodes)) {
    case 'wrong':
      if (expected === 'well') return `No, not at ${at}, when it was last measured.`;
      return expected === 'wrong' || stateOf(found, nodes, isDown) === 'wrong'
        ? `Yes, at ${at}, when it was last measured.`
        : `No, not down at ${at}, when it was last measured, but not well.`;
    case 'unknown':
      return `I cannot tell: the measurements of ${at} do not show it.`;
    case 'ok': {
      const what = nodes.length === 0 ? '' : ` with ${list(nodes.map(({ name }) => name))}`;
      return `${expected === 'well' ? 'Yes' : 'No'}, at ${at} nothing was found to be wrong${what}.`;
    }
  }
}

const timeOf = ({ run }: DiagnosedRun): string => timeText(run.ended_at ?? run.created_at);

/** @param counts which findings count; absent: those that are not only information */
function stateOf(
  { run }: DiagnosedRun,
  nodes: Shape['nodes'],
  counts: (finding: Finding) => boolean = () => true,
): 'wrong' | 'unknown' | 'ok' {
  const { report } = run;
  const ids = nodes.map(({ id }) => id);
  const isMeant = (node: string) => ids.length === 0 || ids.includes(node);
  const isBad =
    report?.findings.some(
      (finding) =>
        finding.severity !== 'info' &&
        !isClaim(finding) &&
        isMeant(finding.node) &&
        counts(finding),
    ) === true;
  if (isBad) return 'wrong';
  const isUnseen =
    report === null ||
    (ids.length === 0
      ? report.verdict !== 'healthy'
      : report.unchecked.some(({ node }) => isMeant(node)));
  return isUnseen ? 'unknown' : 'ok';
}
