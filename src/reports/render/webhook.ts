import type { Report } from '../../domain/diagnosis/finding.js';
import { fewFirst } from '../../domain/diagnosis/steps/step-text.js';
import type { DiagnosisOutcome } from '../diagnosis-outcome.js';

/** A recommendation of Standard Webhooks. https://github.com/standard-webhooks/standard-webhooks */
const MOST_BYTES = 20_000;
/** Lengths of the lists of a report that are tried until the body is small enough. */
const LENGTHS = [50, 20, 10, 5, 2, 1, 0];

/**
 * The body of a webhook: `{type, timestamp, data}`. The lists of a large report are cut, and
 * `data.left_off` says how much.
 * @param publicUrl address of the service as people reach it
 */
export function renderWebhook(outcome: DiagnosisOutcome, publicUrl: string | undefined): string {
  for (const most of LENGTHS) {
    const body = JSON.stringify(bodyOf(outcome, publicUrl, most));
    if (Buffer.byteLength(body) <= MOST_BYTES) return body;
  }
  return JSON.stringify(bodyOf({ ...outcome, report: null, headline: '' }, publicUrl, 0));
}

function bodyOf(
  { report, endedAt, status, headline, ...outcome }: DiagnosisOutcome,
  publicUrl: string | undefined,
  most: number,
): object {
  const data = {
    ...outcome,
    status,
    headline: headline.slice(0, 2_000),
    ...(publicUrl !== undefined && { url: `${publicUrl}/console/runs/${outcome.runId}` }),
    report: report && cut(report, most),
    left_off: report ? leftOff(report, most) : 0,
  };
  return { type: `diagnosis.${status}`, timestamp: endedAt, data };
}

function cut(report: Report, most: number): object {
  const { verdict, counts, impact = '', root_causes, findings, next_steps, unchecked } = report;
  return {
    verdict,
    counts,
    impact: impact.slice(0, 2_000),
    root_causes: root_causes.slice(0, most),
    findings: findings.slice(0, most),
    next_steps: next_steps && fewFirst(next_steps, most).slice(0, most),
    unchecked: unchecked.slice(0, most),
    citations: report.citations?.slice(0, most),
  };
}

const leftOff = ({ root_causes, findings, next_steps = [], unchecked }: Report, most: number) =>
  [root_causes, findings, next_steps, unchecked]
    .map(({ length }) => Math.max(0, length - most))
    .reduce((sum, each) => sum + each, 0);
