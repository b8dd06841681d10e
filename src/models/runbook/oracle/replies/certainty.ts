import type { RootCause } from '../../../../domain/diagnosis/finding.js';
import { uncheckedBelow } from '../../../../domain/diagnosis/verdict.js';
import { list } from '../../plan.js';
import type { Shape } from '../facts.js';
import { percent, nameOf, runLine, sentence, uncheckedLines, type DiagnosedRun } from './report.js';
import { nodeText } from './nodes.js';
import { withName } from '../../../../domain/diagnosis/wording.js';

/**
 * Says how sure a diagnosis is of each root cause, what that was computed from, and what is not
 * ruled out.
 */
export function certaintyText(diagnosed: DiagnosedRun): string {
  const { run } = diagnosed;
  const causes = run.report?.root_causes ?? [];
  const lines = causes.flatMap(({ node, title, confidence, basis = [], not_excluded = [] }) => {
    const name = nameOf(diagnosed, node);
    return [
      `I am ${percent(confidence)} sure of ${title.startsWith(name) ? title : withName(name, title)}.`,
      ...(basis.length > 0 ? [`That was computed from this: ${sentence(basis.join('; '))}`] : []),
      ...openLines(diagnosed, not_excluded),
    ];
  });
  return [
    ...(lines.length > 0 ? lines : [`${unsure(diagnosed)}`]),
    ...uncheckedLines(diagnosed),
    runLine(run),
  ].join('\n');
}

/** Says which nodes are not ruled out as causes. */
const openLines = (
  diagnosed: DiagnosedRun,
  open: NonNullable<RootCause['not_excluded']>,
): string[] =>
  open.map(({ node, reason }) => `Not ruled out: ${nameOf(diagnosed, node)} (${reason}).`);

const openOf = ({ run }: DiagnosedRun) =>
  (run.report?.root_causes ?? []).flatMap(({ not_excluded = [] }) => not_excluded);

const unsure = ({ run }: DiagnosedRun): string =>
  run.report?.verdict === 'healthy'
    ? 'Nothing was found to be wrong. That rests on measurements of the moment, not on a probability.'
    : 'No root cause was found, so there is nothing to be sure of.';

/**
 * Lists the suspects of a diagnosis, what it could not rule out, and the nodes that were measured
 * to be well.
 */
export function suspectsText(diagnosed: DiagnosedRun): string {
  const { run } = diagnosed;
  const { candidates = [], nodes = [] } = run.report ?? {};
  const name = (id: string) => nameOf(diagnosed, id);
  const suspects = candidates.map(({ node, score }) => `${name(node)} (${percent(score)})`);
  const open = openOf(diagnosed);
  const well = nodes
    .filter(({ state, reached_only }) => state === 'healthy' && reached_only !== true)
    .filter(({ node }) => !open.some((each) => each.node === node))
    .map(({ node }) => name(node));
  return [
    suspects.length > 0
      ? `The suspects, the most suspect first: ${suspects.join(', ')}.`
      : 'There was no suspect.',
    ...openLines(diagnosed, open),
    ...(well.length > 0 ? [`Ruled out, because it was measured to be well: ${list(well)}.`] : []),
    ...uncheckedLines(diagnosed),
    runLine(run),
  ].join('\n');
}

/**
 * Answers whether a node is a root cause: no only if the diagnosis found another one, or measured
 * that nothing is wrong.
 */
export function isCauseText(diagnosed: DiagnosedRun, { id }: Shape['nodes'][number]): string {
  const { report } = diagnosed.run;
  const isAsked = ({ node }: { node: string }) => node === id;
  const cause = report?.root_causes.find(isAsked);
  if (report && cause)
    return uncheckedBelow(cause, report.unchecked).length > 0 ? 'Probably.' : 'Yes.';
  const isOpen =
    report === null || openOf(diagnosed).some(isAsked) || report.unchecked.some(isAsked);
  const isReachedOnly = report?.nodes?.some((each) => isAsked(each) && each.reached_only) === true;
  const isWell = report?.verdict === 'healthy' && !isReachedOnly;
  const isConcluded = report?.verdict === 'root_cause_found' || isWell;
  return isOpen || !isConcluded ? 'I cannot tell.' : 'No.';
}

/**
 * Whether nodes may be the cause: what is not ruled out, or else, as of a root cause, what was
 * found of them.
 */
export function suspectText(diagnosed: DiagnosedRun, asked: Shape['nodes']): string {
  const lines = asked.flatMap((node) => {
    const isCause = diagnosed.run.report?.root_causes.some((each) => each.node === node.id);
    const open = openOf(diagnosed).filter((each) => each.node === node.id);
    return open.length > 0 && isCause !== true
      ? openLines(diagnosed, open)
      : [nodeText(diagnosed, node)];
  });
  return [...lines, runLine(diagnosed.run)].join('\n');
}
