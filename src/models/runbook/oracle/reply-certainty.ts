import { list } from '../plan.js';
import {
  percent,
  nameOf,
  runLine,
  sentence,
  uncheckedLines,
  type Diagnosed,
} from './reply-report.js';

/** Says how sure a diagnosis is of each root cause, what that was computed from, and what is not ruled out. */
export function certaintyText(diagnosed: Diagnosed): string {
  const { run } = diagnosed;
  const causes = run.report?.root_causes ?? [];
  const lines = causes.flatMap(({ node, title, confidence, basis = [], not_excluded = [] }) => {
    const name = nameOf(diagnosed, node);
    return [
      `I am ${percent(confidence)} sure of ${title.startsWith(name) ? title : `${name}: ${title}`}.`,
      ...(basis.length > 0 ? [`That was computed from this: ${sentence(basis.join('; '))}`] : []),
      ...not_excluded.map(
        (other) => `Not ruled out: ${nameOf(diagnosed, other.node)} (${other.reason}).`,
      ),
    ];
  });
  return [
    ...(lines.length > 0 ? lines : [`${unsure(diagnosed)}`]),
    ...uncheckedLines(diagnosed),
    runLine(run),
  ].join('\n');
}

const unsure = ({ run }: Diagnosed): string =>
  run.report?.verdict === 'healthy'
    ? 'Nothing was found to be wrong. That rests on measurements of the moment, not on a probability.'
    : 'No root cause was found, so there is nothing to be sure of.';

/** Lists the suspects of a diagnosis, what it could not rule out, and the nodes that were measured to be well. */
export function suspectsText(diagnosed: Diagnosed): string {
  const { run } = diagnosed;
  const { candidates = [], root_causes: causes = [], nodes = [] } = run.report ?? {};
  const name = (id: string) => nameOf(diagnosed, id);
  const suspects = candidates.map(({ node, score }) => `${name(node)} (${percent(score)})`);
  const open = causes.flatMap(({ not_excluded = [] }) => not_excluded);
  const well = nodes.filter(({ state }) => state === 'healthy').map(({ node }) => name(node));
  return [
    suspects.length > 0
      ? `The suspects, the most suspect first: ${suspects.join(', ')}.`
      : 'There was no suspect.',
    ...open.map(({ node, reason }) => `Not ruled out: ${name(node)} (${reason}).`),
    ...(well.length > 0 ? [`Ruled out, because it was measured to be well: ${list(well)}.`] : []),
    ...uncheckedLines(diagnosed),
    runLine(run),
  ].join('\n');
}
