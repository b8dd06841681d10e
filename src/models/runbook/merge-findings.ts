import { bySeverity, type Finding } from '../../domain/diagnosis/finding.js';

const sameEvidence = (a: Finding, b: Finding) =>
  a.evidence.length === b.evidence.length && a.evidence.every((n, i) => n === b.evidence[i]);

/**
 * Adds findings to others without repetition: one with the same node and title, or else with the
 * same node, severity and evidence as exactly one other, restates that one and replaces it.
 */
export function mergeFindings(base: readonly Finding[], more: readonly Finding[]): Finding[] {
  const merged = [...base];
  for (const finding of more) {
    let at = merged.findIndex((f) => f.node === finding.node && f.title === finding.title);
    if (at < 0) {
      const alike = merged.flatMap((f, i) =>
        f.node === finding.node && f.severity === finding.severity && sameEvidence(f, finding)
          ? [i]
          : [],
      );
      if (alike.length === 1) at = alike[0] as number;
    }
    const known = merged[at];
    if (known) merged[at] = { ...known, ...finding };
    else merged.push(finding);
  }
  return merged.toSorted(bySeverity);
}
