import type { NodeState } from '../../../../domain/diagnosis/finding.js';
import { reachedOnly } from '../../../../domain/diagnosis/verdict.js';
import { list } from '../../plan.js';
import { nameOf, runLine, thenLine, uncheckedLines, type DiagnosedRun } from './report.js';

/**
 * Returns the nodes that were checked, those of them that are well, and those that were not
 * checked.
 */
export function checkedText(diagnosed: DiagnosedRun): string {
  const { run, shape } = diagnosed;
  const blind = new Set(run.report?.unchecked.map(({ node }) => node));
  const seen = shape?.nodes.filter(({ id }) => !blind.has(id)).map(({ name }) => name) ?? [];
  const all = seen.length > 0 ? [`Checked: ${list(seen)}.`] : [];
  const missing = uncheckedLines(diagnosed);
  return [
    ...all,
    ...healthyLines(diagnosed),
    ...(missing.length > 0 ? missing : ['Nothing was left unchecked.']),
    ...(missing.length > 0 && blind.size === 0 ? ['Every node was measured.'] : []),
    runLine(run),
  ].join('\n');
}

const STATES: Readonly<Record<NodeState, string>> = {
  failed: 'Failed',
  degraded: 'Degraded',
  downstream: 'Downstream of a fault',
  unknown: 'Not known',
  healthy: 'Healthy',
};

/** Lists the nodes that are well, or those that are not, by their states. */
export function statesText(
  diagnosed: DiagnosedRun,
  { asksForWell, isCounted }: { asksForWell: boolean; isCounted: boolean },
): string {
  const { run } = diagnosed;
  const nodes = run.report?.nodes ?? [];
  if (nodes.length === 0) return checkedText(diagnosed);
  const lines = asksForWell
    ? healthyLines(diagnosed)
    : stateLines(diagnosed, { states: UNHEALTHY });
  const meant = nodes.filter(({ state }) => (state === 'healthy') === asksForWell);
  const counted = `${meant.length} of ${nodes.length}${asksForWell ? '' : ', as far as they are known'}.`;
  return [
    ...(isCounted ? [counted] : []),
    ...(lines.length > 0 ? lines : [`Not healthy: none of ${nodes.length} nodes.`]),
    ...(asksForWell ? reachedOnly(nodes, (id) => nameOf(diagnosed, id)) : []),
    runLine(run),
    thenLine(run),
  ].join('\n');
}

const ORDER = Object.keys(STATES) as NodeState[];
export const UNHEALTHY = ORDER.filter((state) => state !== 'healthy');

function healthyLines(diagnosed: DiagnosedRun): string[] {
  const { nodes = [] } = diagnosed.run.report ?? {};
  if (nodes.length === 0) return [];
  const lines = stateLines(diagnosed, { states: ['healthy'] });
  return lines.length > 0 ? lines : [`Healthy: none of ${nodes.length} nodes.`];
}

/** Lists nodes by their states. @param of which states and which nodes; absent: all */
export function stateLines(
  diagnosed: DiagnosedRun,
  { states = ORDER, ids }: { states?: readonly NodeState[]; ids?: readonly string[] },
): string[] {
  const { nodes = [] } = diagnosed.run.report ?? {};
  const meant = nodes.filter(({ node }) => ids === undefined || ids.includes(node));
  return states.flatMap((state) => {
    const those = meant.filter((each) => each.state === state);
    const names = list(those.map(({ node }) => nameOf(diagnosed, node)));
    return those.length === 0
      ? []
      : [`${STATES[state]}: ${names} (${those.length} of ${meant.length}).`];
  });
}
