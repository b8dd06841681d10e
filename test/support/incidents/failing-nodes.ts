import type { DependencyNode } from '../../../src/domain/diagnosis/dependency-graph.js';
import type { Finding, Symptom } from '../../../src/domain/diagnosis/finding.js';

export const node = (id: string, ...dependsOn: string[]): DependencyNode => ({
  id,
  name: id.toUpperCase(),
  dependsOn,
});

export const finding = (
  id: string,
  symptom: Symptom,
  evidence: number,
  severity: Finding['severity'] = 'critical',
): Finding => ({
  node: id,
  severity,
  symptom,
  title: `is ${symptom}`,
  detail: 'measured.',
  evidence: [evidence],
});
