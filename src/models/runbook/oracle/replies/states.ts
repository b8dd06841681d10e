import type { NodeState } from '../../../../domain/diagnosis/finding.js';
import { reachedOnly } from '../../../../domain/diagnosis/verdict.js';
import { list } from '../../plan.js';
import { nameOf, runLine, thenLine, uncheckedLines, type Diagnosed } from './report.js';

/** Returns the nodes that were checked, those of them that are well, and those that were not checked. */
export function checkedText(diagnosed: Diagnosed): string {
  const { run, shape } = diagnosed;
  const blind = new Set(run.report?.unchecked.map(({ node }) => node));
  const seen = shape?.nodes.filter(({ id }) => !blind.has(id)).map(({ name }) => name) ?? [];
  const all = seen.length > 0 ? [`Checked: ${list(seen)}.`] : [];
  const missing = uncheckedLines(diagnosed);
  const nodes = run.report?.nodes ?? [];
  const well = nodes.filter(({ state, reached_only }) => state === 'healthy' && !reached_only);
  return [
    ...all,
    ...(nodes.length > 0 ? [wellText(diagnosed, well, nodes.length)] : []),
    ...(missing.length > 0 ? missing : ['Nothing was left unchecked.']),
    runLine(run),
  ].join('\n');
}

const wellText = (
  diagnosed: Diagnosed,
  well: readonly { node: string }[],
  total: number,
): string =>
  well.length === 0
    ? `Measured to be well: none of ${total}.`
    : `Measured to be well: ${list(well.map(({ node }) => nameOf(diagnosed, node)))} (${well.length} of ${total}).`;

const STATES: Readonly<Record<NodeState, string>> = {
  failed: 'Failed',
  degraded: 'Degraded',
  downstream: 'Downstream of a fault',
  unknown: 'Not known',
  healthy: 'Healthy',
};

/** Lists the nodes that are well, or those that are not, by their states. */
export function statesText(diagnosed: Diagnosed, asksForWell: boolean): string {
  const { run, shape } = diagnosed;
  const nodes = run.report?.nodes ?? [];
  if (nodes.length === 0) return checkedText(diagnosed);
  const order = Object.keys(STATES) as NodeState[];
  const shown = order.filter((state) => (state === 'healthy') === asksForWell);
  const lines = shown.flatMap((state) => {
    const those = nodes.filter((each) => each.state === state);
    const names = list(those.map(({ node }) => nameOf(diagnosed, node)));
    return those.length === 0
      ? []
      : [`${STATES[state]}: ${names} (${those.length} of ${nodes.length}).`];
  });
  const total = shape?.nodes.length ?? nodes.length;
  return [
    ...(lines.length > 0 ? lines : [`None of ${total} nodes.`]),
    ...(asksForWell ? reachedOnly(nodes, (id) => nameOf(diagnosed, id)) : []),
    runLine(run),
    thenLine(run),
  ].join('\n');
}
