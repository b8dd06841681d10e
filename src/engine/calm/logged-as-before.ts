import { quietUntilOf } from '../../domain/telemetry/records.js';
import { textOfAlert } from '../alert-subject.js';
import type { LogTemplate } from '../logs/log-templates.js';
import { plainName } from '../series/meaning-of-metric.js';
import { showNumber } from '../stats.js';
import type { AlertCase } from './alert-case.js';
import { isQuietAround } from './users-signals.js';

/** Alerts that count lines of a log. */
const COUNTS_LINES = /(^|_)(logs?|lines?|exceptions?)(_|$)/;
/** Minimum number of lines that shows the usual rate. */
const LEAST_LINES = 10;
/** Standard deviations of a count from which it is not chance. */
const BEYOND_CHANCE = 3;
const LEAD_MS = 15 * 60_000;
const MINUTE = 60_000;

/**
 * An alert that counts errors in the log reports no failure if there are as many as usual, of the
 * same kinds: some errors are normal.
 */
export function hasLoggedAsBefore(given: AlertCase): string | undefined {
  const { alert, node, named, seen, frame, unusual } = given;
  const text = plainName(`${textOfAlert(alert)} ${alert.labels['metric'] ?? ''}`);
  if (named.length > 0 || !COUNTS_LINES.test(text)) return undefined;
  if (unusual.complaints.some((each) => !unusual.isFar(each.node))) return undefined;
  const own = seen.templates.filter((each) => each.node === node && (each.error || each.warning));
  if (own.some(({ isCut }) => isCut)) return undefined;
  const from = Math.max(frame.start, Math.min(...seen.templates.map(({ first }) => first)));
  const quietUntil = quietUntilOf(frame);
  const early = own.reduce((sum, each) => sum + each.early, 0);
  const since = Math.max(quietUntil, (alert.startsAt ?? quietUntil) - LEAD_MS);
  const isAsUsual = [quietUntil, since].every((at) => {
    const expected = (early * (frame.now - at)) / (quietUntil - from);
    const counted = own.reduce((sum, each) => sum + countSince(each, at - quietUntil), 0);
    return counted <= expected + BEYOND_CHANCE * Math.sqrt(expected + 1);
  });
  if (early < LEAST_LINES || !isAsUsual || !isQuietAround(given)) return undefined;
  const rate = showNumber((early * MINUTE) / (quietUntil - from));
  return `${node} wrote as many errors and warnings before, of the same kinds: about ${rate} a minute`;
}

/** The number of lines that came this many ms after the quiet time, or later. */
const countSince = ({ late }: LogTemplate, ms: number): number =>
  late.counts.slice(Math.floor(ms / late.widthMs)).reduce((sum, count) => sum + count, 0);
