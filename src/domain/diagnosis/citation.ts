import { clip } from '../../lib/text.js';
import type { ReportCitation } from './finding.js';

/** Maximum code points of its summary. */
const MOST_SUMMARY = 300;

/** The form of a cited measurement in a report. */
export const citationOf = ({
  sequence,
  tool,
  node,
  status,
  summary,
  at,
}: ReportCitation): ReportCitation => ({
  sequence,
  tool,
  node,
  status,
  summary: clip(summary, MOST_SUMMARY),
  at,
});
