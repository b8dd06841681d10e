import { needsOf } from '../../../../domain/topology/needs-of.js';
import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import type { Shape } from '../facts.js';
import { stateIn } from '../over-time/outage.js';
import type { Question } from '../reading/question.js';
import type { DiagnosedRun } from '../replies/report.js';

/**
 * Returns the nodes of a question about faults. Those that it takes from an earlier question count
 * only if the diagnosis did not find them well, or found a root cause that they depend on.
 */
export function nodesMeant(
  { names, isInherited }: Question,
  { run, shape }: DiagnosedRun,
): Shape['nodes'] {
  const nodes = nodesIn(names, shape);
  const causes = run.report?.root_causes.map(({ node }) => node) ?? [];
  const isUnhealthy = (id: string) =>
    stateIn(run, id) !== 'ok' ||
    needsOf(shape?.nodes ?? [], id).some((each) => causes.includes(each));
  return isInherited ? nodes.filter(({ id }) => isUnhealthy(id)) : nodes;
}
