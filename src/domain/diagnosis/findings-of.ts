import type { Json } from '../../lib/json.js';
import { bySeverity, type Finding, type Symptom } from './finding.js';
import { issueKind } from './issue-kind.js';
import { issuesOf, type MeasuredIssue } from './measurement.js';

/** The issues of one tool result with what it is cited by: a `tool_call_id`, or a sequence number. */
export interface Measured<Citation> {
  tool: string;
  evidence: Citation;
  issues: readonly MeasuredIssue[];
}

/** A finding whose evidence is cited by something other than sequence numbers. */
export type FindingBy<Citation> = Omit<Finding, 'evidence'> & { evidence: Citation[] };
export type DraftFinding = FindingBy<string>;

/** Symptoms that two tools measure of the same fault. */
const MERGED: readonly Symptom[] = ['unreachable', 'nameless', 'invalid'];

export const measuredBy = (tool: string, evidence: string, result: Json): Measured<string> => ({
  tool,
  evidence,
  issues: issuesOf(result),
});

/**
 * The findings that a node's measurements make. Two tools that measure the same fault (nothing answers, the certificate is
 * invalid), and two subjects with the same fault, make one finding that cites both.
 */
export function findingsOf<Citation>(
  node: string,
  measured: readonly Measured<Citation>[],
): FindingBy<Citation>[] {
  const findings: (FindingBy<Citation> & { tool: string })[] = [];
  for (const { tool, evidence, issues } of measured)
    for (const issue of issues) {
      const { severity, symptom, title, detail, tookMs } = issue;
      const same = findings.find(
        (f) =>
          f.symptom === symptom &&
          (f.title === title ||
            (f.tool !== tool && f.severity === severity && MERGED.includes(symptom))),
      );
      if (same) {
        if (!same.evidence.includes(evidence)) same.evidence.push(evidence);
        same.detail = joined(same.detail, detail);
        if (bySeverity({ severity }, same) < 0) same.severity = severity;
      } else
        findings.push({
          ...{ tool, node, severity, symptom, title, detail, evidence: [evidence] },
          origin: 'measured',
          kind: issueKind(issue, tool),
          ...(tookMs !== undefined && { took_ms: tookMs }),
        });
    }
  return findings.map(({ tool: _, ...finding }) => finding);
}

const sentencesOf = (text: string): string[] => text.split(/(?<=\.) /);

/** Two details as one, without the sentences of the second that the first has. */
function joined(detail: string, more: string): string {
  if (detail.includes(more)) return detail;
  const known = new Set(sentencesOf(detail));
  const added = sentencesOf(more).filter((sentence) => !known.has(sentence));
  return [detail, ...added].join(' ').trim();
}
