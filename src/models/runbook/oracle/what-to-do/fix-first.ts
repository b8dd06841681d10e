import type { RootCause } from '../../../../domain/diagnosis/finding.js';
import { withName } from '../../../../domain/diagnosis/wording.js';
import { list } from '../../plan.js';
import { hurtBy } from '../replies/nodes.js';
import { causeText, fewOf, nameOf, type DiagnosedRun } from '../replies/report.js';

/** Asks where to begin. */
export const FIRST = /\bfirst\b|\bwhere\b.*\b(?:start|begin|look)\b|\bprioriti[sz]e\b/;

/** Returns the root causes of a diagnosis: what affects most nodes first, then the surest. */
export const byUrgency = (found: DiagnosedRun): RootCause[] =>
  inOrder([found]).map(({ cause }) => cause);

function inOrder(diagnoses: readonly DiagnosedRun[]) {
  return diagnoses
    .flatMap((found) =>
      (found.run.report?.root_causes ?? []).map((cause) => ({
        found,
        cause,
        hurt: hurtBy(found, [cause]).map(({ name }) => name),
      })),
    )
    .toSorted((a, b) => b.hurt.length - a.hurt.length || b.cause.confidence - a.cause.confidence);
}

/** Lists root causes in the order in which to fix them, with the reason; empty of only one. */
export function orderLines(diagnoses: readonly DiagnosedRun[]): string[] {
  const all = inOrder(diagnoses);
  const [first] = all;
  if (!first || all.length < 2) return [];
  const lines = all.map(({ found, cause, hurt }, i) => {
    const { topology_id: id, topology_name: topology } = found.run;
    const where = diagnoses.length > 1 ? `, in ${topology} (topology ${id})` : '';
    const affected = hurt.length === 0 ? 'no other node' : list(fewOf(hurt));
    const what = withName(nameOf(found, cause.node), causeText(found, cause));
    return `${i + 1}. ${what}${where}. It affects ${affected}.`;
  });
  return [
    'In this order: what affects most nodes first, and of those alike what is surest.',
    ...lines,
  ];
}
