import type { NodeState, Report } from '../../../src/domain/diagnosis/finding.js';
import { uncheckedText } from '../../../src/domain/diagnosis/wording.js';
import type { Health } from './types.js';

const HEALTH_OF: Record<NodeState, Health> = {
  healthy: 'ok',
  degraded: 'warning',
  downstream: 'warning',
  failed: 'critical',
  unknown: 'unchecked',
};

/**
 * Health of a node as a report says it; `unknown` without a report. A node that is affected by
 * another one is not healthy, though nothing was found at the node itself.
 */
export function reportHealth(report: Report | null | undefined, node: string): Health {
  if (!report) return 'unknown';
  if (report.root_causes.some((cause) => cause.node === node)) return 'root';
  const found = report.findings.filter((finding) => finding.node === node);
  if (found.some(({ severity }) => severity === 'critical')) return 'critical';
  if (found.some(({ severity }) => severity === 'warning')) return 'warning';
  const state = report.nodes?.find((one) => one.node === node)?.state;
  if (state !== undefined) return HEALTH_OF[state];
  return report.unchecked.some((one) => one.node === node) ? 'unchecked' : 'ok';
}

/** Why a node has that health, in a line. */
export function reportWhy(report: Report, node: string): string {
  const of = (one: { node: string }): boolean => one.node === node;
  const found = report.findings.find((one) => of(one) && one.severity !== 'info')?.title;
  const downstream = report.nodes?.find(of)?.state === 'downstream';
  const open = report.unchecked.find(of);
  return (
    report.root_causes.find(of)?.title ??
    found ??
    (downstream ? 'affected by a dependency' : undefined) ??
    (open ? uncheckedText(open) : undefined) ??
    'healthy'
  );
}
