import { shortId } from '../../engine/changes/unread-changes.js';
import type { ReportLine } from './report-line.js';
import { scoreReport } from './score.js';
import type { Truth } from './truth.js';

/**
 * One line for each incident on which two evaluations differ, and the other differences of their
 * reports.
 */
export function compareReports(
  before: ReadonlyMap<string, ReportLine>,
  after: ReadonlyMap<string, ReportLine>,
  truths: ReadonlyMap<string, Truth>,
): string[] {
  const ids = [...new Set([...before.keys(), ...after.keys()])].sort();
  return ids.flatMap((id) => {
    const old = before.get(id);
    const now = after.get(id);
    const was = answerOf(old);
    const is = answerOf(now);
    if (was === is) return [];
    const truth = truths.get(id);
    const verdict = truth ? `  ${change(rightness(truth, old), rightness(truth, now))}` : '';
    const why = now?.text.split('\n')[1] ?? '';
    return [`${id}${verdict}`, `  was ${was}`, `  is  ${is}${why === '' ? '' : `: ${why}`}`];
  });
}

function answerOf(line: ReportLine | undefined): string {
  if (line === undefined) return 'not diagnosed';
  if (line.healthy) return 'healthy';
  const [first] = line.ranked;
  if (first === undefined) return line.verdict;
  const blamed =
    first.change === undefined || first.change === 'none'
      ? ''
      : `, change ${shortId(first.change)}`;
  return `${first.node} (${first.kind ?? 'unknown'}${blamed})`;
}

/** The share of the truth's statements that a report has right. */
function rightness(truth: Truth, line: ReportLine | undefined): number {
  const { calm, accuracy, kind, change: selected, text } = scoreReport(truth, line);
  return [calm, (accuracy?.[0] ?? 0) > 0, kind, selected, text].filter((part) => part === true)
    .length;
}

const change = (before: number, after: number): string =>
  after > before ? 'better' : after < before ? 'worse' : 'neither better nor worse';
