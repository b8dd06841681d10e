import { isClaim, isFailure } from '../../../../domain/diagnosis/finding.js';
import { isHoped, type Expectation } from '../measured/expectation.js';
import { isDown } from '../measured/measured-node.js';
import type { Run } from '../facts.js';

const failuresOf = ({ report }: Run) =>
  (report?.findings ?? []).filter((each) => isFailure(each) && !isClaim(each));

/**
 * Whether what is expected held for a node, by a diagnosis; undefined if the diagnosis does not
 * show it.
 */
export function heldAt(run: Run, node: string, expected: Expectation): boolean | undefined {
  const failures = failuresOf(run).filter((each) => each.node === node);
  const isOfDown = expected === 'down' || expected === 'up';
  const isBad = isOfDown ? failures.some(isDown) : failures.length > 0;
  const { report } = run;
  const isUnseen =
    report === null ||
    report.unchecked.some((each) => each.node === node) ||
    report.nodes?.some((each) => each.node === node && each.state === 'unknown') === true;
  return isUnseen && !isBad ? undefined : isBad !== isHoped(expected);
}

/** As `heldAt`, for each node of a diagnosis; one part is not known if its nodes are not. */
export const heldAtNodes = (run: Run, expected: Expectation): (boolean | undefined)[] =>
  run.report?.nodes?.map(({ node }) => heldAt(run, node, expected)) ?? [held(run, expected)];

/** As `heldAt`, for the topology of a diagnosis: a fault at any node is one of the topology. */
export function held(run: Run, expected: Expectation): boolean | undefined {
  const { report } = run;
  if (report === null) return undefined;
  const isOfDown = expected === 'down' || expected === 'up';
  const failures = failuresOf(run);
  const isWrong = report.verdict === 'root_cause_found' || failures.length > 0;
  const isBad = isOfDown ? failures.some(isDown) : isWrong;
  const isKnown = isBad || isWrong || report.verdict === 'healthy' || isWarned(run);
  return isKnown ? isBad !== isHoped(expected) : undefined;
}

/** Whether a diagnosis found only what needs attention, and nothing wrong. */
export const isWarned = (run: Run): boolean =>
  run.report?.verdict === 'issues_found' && failuresOf(run).length === 0;
