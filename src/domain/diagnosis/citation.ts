import { clip } from '../../lib/text.js';
import type { ReportCitation } from './finding.js';

/** Code points of its summary. */
const MOST_SUMMARY = 300;

/** What a report shows of a measurement that it cites. */
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
