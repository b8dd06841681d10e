import type { Report } from '../../../src/domain/diagnosis/finding.js';
import type { DiagnosisOutcome } from '../../../src/reports/diagnosis-outcome.js';

/** A report with one root cause, as a run would write it. */
export const reportOf = (more: Partial<Report> = {}): Report => ({
  verdict: 'root_cause_found',
  headline: 'The database refuses connections',
  impact: 'Checkout fails for all users.',
  root_causes: [
    {
      node: 'db',
      title: 'connection refused',
      confidence: 0.9,
      evidence: [12],
      chain: ['shop', 'api', 'db'],
    },
  ],
  findings: [
    {
      node: 'db',
      severity: 'critical',
      title: 'connection refused',
      detail: 'port 5432',
      evidence: [12],
    },
    { node: 'shop', severity: 'info', title: 'fine', detail: '', evidence: [9] },
  ],
  next_steps: [
    { text: 'Start the database', node: 'db', access: 'change', command: 'systemctl start db' },
  ],
  unchecked: [{ node: 'cdn', reason: 'NO_TOOL' }],
  citations: [
    {
      sequence: 12,
      tool: 'tcp_probe',
      node: 'db',
      status: 'failed',
      summary: 'ECONNREFUSED after 3 tries',
      at: '2026-11-22T12:00:00.000Z',
    },
  ],
  counts: { critical: 1, warning: 0, info: 1 },
  ...more,
});

export const outcomeWith = (
  report: Report | null,
  more: Partial<DiagnosisOutcome> = {},
): DiagnosisOutcome => ({
  runId: '01a2053b-305c-7553-b724-02805b640247',
  topologyId: 7,
  topologyName: 'Shop',
  status: 'completed',
  verdict: 'root_cause_found',
  endedAt: '2026-11-22T12:01:00.000Z',
  headline: report?.headline ?? 'none',
  report,
  ...more,
});

/** A report that is as large and as hostile as its texts can be. */
export const hugeReport = (): Report => {
  const nasty = `<!channel> *x* _y_ \`z\` & [a](http://x) ${'é'.repeat(3_000)}\n\u202e`;
  const many = <T>(item: T): T[] => Array.from({ length: 500 }, () => item);
  return reportOf({
    impact: nasty,
    headline: nasty,
    root_causes: many({ node: nasty, title: nasty, confidence: 1, evidence: [12], chain: [nasty] }),
    findings: many({
      node: nasty,
      severity: 'critical' as const,
      title: nasty,
      detail: nasty,
      evidence: [1],
    }),
    next_steps: many({ text: nasty, access: 'read' as const, command: nasty }),
    unchecked: many({ node: nasty, reason: nasty }),
  });
};
