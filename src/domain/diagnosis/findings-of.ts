import type { Finding, Symptom } from './finding.js';
import type { ToolResult } from './tool-result.js';

/** A tool result with the id that it is cited by. */
export interface Measured {
  tool: string;
  evidence: string;
  result: ToolResult;
}

/** What two tools say of the same thing. */
const MERGED: readonly Symptom[] = ['unreachable', 'nameless', 'invalid'];

/** A finding before its evidence has sequence numbers: `tool_call_id`s. */
export type DraftFinding = Omit<Finding, 'evidence'> & { evidence: string[] };

/**
 * What a node's measurements say is wrong with it. Two tools that see the same thing (nothing answers, the certificate is
 * invalid) make one finding that cites both.
 */
export function findingsOf(node: string, measured: readonly Measured[]): DraftFinding[] {
  const findings: (DraftFinding & { tool: string })[] = [];
  for (const { tool, evidence, result } of measured)
    for (const { severity, symptom, title, detail } of result.issues ?? []) {
      const same = findings.find(
        (f) =>
          f.tool !== tool &&
          f.symptom === symptom &&
          f.severity === severity &&
          MERGED.includes(symptom),
      );
      if (same) {
        if (!same.evidence.includes(evidence)) same.evidence.push(evidence);
        if (!same.detail.includes(detail)) same.detail = `${same.detail} ${detail}`.trim();
      } else findings.push({ tool, node, severity, symptom, title, detail, evidence: [evidence] });
    }
  return findings.map(({ tool: _, ...finding }) => finding);
}
