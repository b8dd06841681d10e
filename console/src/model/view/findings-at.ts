import type { RootCause } from '../../../../src/domain/diagnosis/finding.js';
import { toolFindingsOf } from '../read.js';
import type { RunModel } from '../run-model.js';
import type { Finding, Severity } from '../../../../src/client/index.js';

const RANK: Record<Severity, number> = { critical: 0, warning: 1, info: 2 };
export const bySeverity = (a: { severity: Severity }, b: { severity: Severity }): number =>
  RANK[a.severity] - RANK[b.severity];

const keyOf = ({ node, title }: { node: string; title: string }): string => `${node}\0${title}`;

/** What had been reported at `seq`: after the end, what the report says. */
export function findingsAt(model: RunModel, seq: number): Finding[] {
  if (model.report && model.endedAt(seq)) return model.report.findings;
  const known = new Map<string, Finding>();
  for (const { seq: from, finding } of model.found) {
    if (from > seq) break;
    known.set(keyOf(finding), finding);
  }
  return [...known.values()].sort(bySeverity);
}

/** What the report or the agents say about a node that is unhealthy: its worst finding. */
export const findingOf = (model: RunModel, node: string, seq: number): Finding | undefined =>
  findingsAt(model, seq).find((finding) => finding.node === node && finding.severity !== 'info');

export const causesAt = (model: RunModel, seq: number): RootCause[] =>
  model.report && model.endedAt(seq) ? model.report.root_causes : [];

/** Of one node, no more results than these are looked at: the latest count. */
const LOOKED_AT = 40;

/**
 * What tools had measured and no agent had reported at `seq`: of each node, the last result of each
 * tool.
 */
export function measuredAt(model: RunModel, seq: number): Finding[] {
  if (model.terminal?.name === 'lifecycle.completed' && model.endedAt(seq)) return [];
  const reported = new Set(findingsAt(model, seq).map(keyOf));
  const measured: Finding[] = [];
  for (const [node, { results }] of model.nodes) {
    const tools = new Set<string>();
    const known = results.filter((result) => result <= seq).slice(-LOOKED_AT);
    for (const result of known.reverse()) {
      const event = model.at(result);
      if (event?.name !== 'llm.tool_result' || event.data.status !== 'ok') continue;
      if (tools.has(event.data.tool)) continue;
      tools.add(event.data.tool);
      for (const { severity, title, detail } of toolFindingsOf(event.data.result).issues) {
        const finding = { node, severity, title, detail, evidence: [result] };
        if (!reported.has(keyOf(finding))) measured.push(finding);
      }
    }
  }
  return measured.sort(bySeverity);
}

/**
 * Sequences of all results that the claims known at `seq` rest on: those of root causes first, then
 * those of findings, the worst first.
 */
export function evidenceAt(model: RunModel, seq: number): number[] {
  const claims = [...causesAt(model, seq), ...findingsAt(model, seq)];
  return [...new Set(claims.flatMap((claim) => claim.evidence))];
}
