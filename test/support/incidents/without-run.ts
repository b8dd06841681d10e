import type { Report } from '../../../src/domain/diagnosis/finding.js';

/** A report without its sequence numbers and times: those are of the run. */
export function withoutRun({ citations = [], ...report }: Report) {
  const known = new Map(citations.map(({ sequence, ...rest }) => [sequence, rest]));
  const describe = (sequence: number) => {
    const { tool, node, status, summary } = known.get(sequence) ?? {};
    return [tool, node, status, summary].join(' ');
  };
  const named = <Item extends { evidence?: number[] }>(items: readonly Item[]) =>
    items.map((item) => ({ ...item, evidence: (item.evidence ?? []).map(describe).sort() }));
  const byTitle = (a: { node: string; title: string }, b: { node: string; title: string }) =>
    `${a.node} ${a.title}`.localeCompare(`${b.node} ${b.title}`);
  return {
    ...report,
    root_causes: named(report.root_causes),
    findings: named(report.findings).toSorted(byTitle),
    next_steps: named(report.next_steps ?? []),
    unchecked: named(report.unchecked),
  };
}
