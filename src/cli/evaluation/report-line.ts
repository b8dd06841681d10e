import { z } from 'zod';
import type { RunRecord } from '../../client/index.js';
import type { Report } from '../../domain/diagnosis/finding.js';

const suspect = z.object({
  node: z.string(),
  kind: z.string().optional(),
  /** Id of the change that is selected as the cause, or `none`; of the first suspect. */
  change: z.string().optional(),
  score: z.number().optional(),
});

/** The result of one diagnosis: a line of the file that `evaluate` writes. */
export const reportLineSchema = z.object({
  incidentId: z.string(),
  healthy: z.boolean(),
  /** Most suspect first; the same score is a tie. */
  ranked: z.array(suspect),
  text: z.string().default(''),
  verdict: z.string().default(''),
  confidence: z.number().optional(),
  seconds: z.number().default(0),
  tokens: z.number().default(0),
  cost: z.number().optional(),
});
export type ReportLine = z.infer<typeof reportLineSchema>;

const MOST_TEXT = 1_000;

/** A short form of the report of a run. A run that was interrupted is not evidence of health. */
export function toReportLine(
  incidentId: string,
  { report, partial }: Pick<RunRecord, 'report' | 'partial'>,
  usage: Pick<ReportLine, 'seconds' | 'tokens' | 'cost'>,
): ReportLine {
  if (report === null)
    return { incidentId, healthy: false, ranked: [], text: '', verdict: 'failed', ...usage };
  const { verdict, root_causes: causes, candidates = [], headline = '' } = report;
  const kinds = new Map(causes.map(({ node, kind }) => [node, kind]));
  const [first] = causes;
  const suspects =
    candidates.length > 0
      ? candidates
      : causes.map(({ node, confidence }) => ({ node, score: confidence }));
  return {
    incidentId,
    healthy: !partial && isHealthy(report),
    ranked: suspects.map(({ node, score }, rank) => ({
      node,
      score,
      ...(kinds.get(node) !== undefined && { kind: kinds.get(node) }),
      ...(rank === 0 && { change: first?.change ?? 'none' }),
    })),
    text: [headline, ...(first?.basis ?? [])].join('\n').slice(0, MOST_TEXT),
    verdict,
    ...(first && { confidence: first.confidence }),
    ...usage,
  };
}

/**
 * Whether all nodes that could be checked are healthy: nodes without telemetry make a report
 * inconclusive, but raise no alarm.
 */
const isHealthy = ({ verdict, findings, root_causes: causes }: Report): boolean =>
  verdict === 'healthy' ||
  (verdict === 'inconclusive' &&
    causes.length === 0 &&
    findings.every(({ severity }) => severity === 'info'));
