import type { Shape } from '../facts.js';
import { isClaim, isFailure, type Finding } from '../../../../domain/diagnosis/finding.js';
import { isDown } from '../measured/measured-node.js';
import {
  holdsFor,
  isHoped,
  usualQuantifier,
  yesOrNo,
  type Expectation,
  type Quantifier,
} from '../measured/expectation.js';
import { list } from '../../plan.js';
import { heldAt } from './parts.js';
import { fewOf, timeText, type DiagnosedRun } from './report.js';

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
    ? verdictOn(found, nodes, { expected: 'well' })
    : `I cannot tell: it was not checked since ${timeOf(found)}, when it was not fixed.`;
}

/** What a question asks with yes or no. */
interface Expected {
  expected: Expectation;
  /** Of how many nodes it is asked; absent: as usual of what is expected. */
  quantifier?: Quantifier | undefined;
}

/** Says with yes or no whether nodes, or all nodes, are as a question expects. */
export const verdictOn = (found: DiagnosedRun, nodes: Shape['nodes'], asked: Expected): string =>
  verdictAt(found, nodes, { ...asked, at: `${timeOf(found)}, when it was last measured` });

/** As `verdictOn`, of an earlier diagnosis. */
export const verdictThen = (found: DiagnosedRun, nodes: Shape['nodes'], asked: Expected): string =>
  verdictAt(found, nodes, { ...asked, at: timeOf(found) });

function verdictAt(
  found: DiagnosedRun,
  nodes: Shape['nodes'],
  { expected, quantifier = usualQuantifier(expected), at: when }: Expected & { at: string },
): string {
  const at = timeOf(found);
  if (quantifier !== usualQuantifier(expected))
    return verdictOnParts(found, nodes, { expected, quantifier });
  const what = nodes.length === 0 ? '' : ` with ${list(nodes.map(({ name }) => name))}`;
  const state = stateOf(found, nodes);
  const isDownNow = stateOf(found, nodes, isDown) === 'wrong';
  if (state === 'unknown') return `I cannot tell: the measurements of ${at} do not show it.`;
  if (state === 'ok')
    return `${isHoped(expected) ? 'Yes' : 'No'}, at ${at} nothing was found to be wrong${what}.`;
  if (state === 'warned')
    return `${isHoped(expected) ? 'Yes' : 'No'}, but at ${at} there was a warning${what}.`;
  switch (expected) {
    case 'well':
      return `No, not at ${when}.`;
    case 'wrong':
      return `Yes, at ${when}.`;
    case 'up':
      return isDownNow ? `No, not at ${when}.` : `Yes, at ${when}, but not well.`;
    case 'down':
      return isDownNow ? `Yes, at ${when}.` : `No, not down at ${when}, but not well.`;
  }
}

/** As `verdictOn`, of as many nodes as a question asks. */
function verdictOnParts(
  found: DiagnosedRun,
  named: Shape['nodes'],
  { expected, quantifier }: { expected: Expectation; quantifier: Quantifier },
): string {
  const nodes = named.length > 0 ? named : (found.shape?.nodes ?? []);
  const holds = holdsFor(
    quantifier,
    nodes.map(({ id }) => heldAt(found.run, id, expected)),
  );
  const isOfDown = expected === 'up' || expected === 'down';
  const well = nodes.filter(({ id }) => heldAt(found.run, id, isOfDown ? 'up' : 'well'));
  const names = list(fewOf(well.map(({ name }) => name)));
  const which =
    well.length === 0
      ? ''
      : ` ${names} ${well.length === 1 ? 'was' : 'were'} not ${isOfDown ? 'down' : 'wrong'}.`;
  return `${yesOrNo(holds)} That was measured at ${timeOf(found)}.${which}`;
}

const timeOf = ({ run }: DiagnosedRun): string => timeText(run.ended_at ?? run.created_at);

/** @param counts which findings count; absent: those that are not only information */
function stateOf(
  { run }: DiagnosedRun,
  nodes: Shape['nodes'],
  counts: (finding: Finding) => boolean = () => true,
): 'wrong' | 'warned' | 'unknown' | 'ok' {
  const { report } = run;
  const ids = nodes.map(({ id }) => id);
  const isMeant = ({ node }: { node: string }) => ids.length === 0 || ids.includes(node);
  const bad = (report?.findings ?? []).filter(
    (finding) =>
      finding.severity !== 'info' && !isClaim(finding) && isMeant(finding) && counts(finding),
  );
  if (bad.some(isFailure)) return 'wrong';
  if (bad.length > 0) return 'warned';
  const isUnseen =
    report === null ||
    (ids.length === 0 ? report.verdict !== 'healthy' : report.unchecked.some(isMeant));
  return isUnseen ? 'unknown' : 'ok';
}
