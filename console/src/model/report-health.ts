import type { Report } from '../../../src/domain/diagnosis/finding.js';
import type { Health } from './types.js';

/** Health of a node as a report says it; `unknown` without a report. */
export function reportHealth(report: Report | null | undefined, node: string): Health {
  if (!report) return 'unknown';
  if (report.root_causes.some((cause) => cause.node === node)) return 'root';
  const found = report.findings.filter((finding) => finding.node === node);
  if (found.some(({ severity }) => severity === 'critical')) return 'critical';
  if (found.some(({ severity }) => severity === 'warning')) return 'warning';
  return report.unchecked.some((one) => one.node === node) ? 'unchecked' : 'ok';
}

/** Why a node has that health, in a line. */
export function reportWhy(report: Report, node: string): string {
  const found = report.findings.find((finding) => finding.node === node)?.title;
  return found ?? report.unchecked.find((one) => one.node === node)?.reason ?? 'healthy';
}
