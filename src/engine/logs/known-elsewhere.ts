import { quietUntilOf, type IncidentFrame } from '../../domain/telemetry/records.js';
import { groupBy } from '../../lib/group-by.js';
import type { LogTemplate } from './log-templates.js';

/** Standard deviations of a Poisson process from which a count is not chance. */
const DEVIATIONS = 3;
const MOST_TEXT = 500;

/**
 * Templates that are new at a node, although other nodes wrote the same words in the quiet time,
 * and all nodes together write them no more often since: a line that any node writes occasionally
 * is not news.
 */
export function knownElsewhere(
  templates: readonly LogTemplate[],
  frame: IncidentFrame,
  names: readonly string[],
): ReadonlySet<LogTemplate> {
  const quietUntil = quietUntilOf(frame);
  const share = (frame.now - quietUntil) / (quietUntil - frame.start);
  const complaints = templates.filter(({ error, warning }) => error || warning);
  const known = [...groupBy(complaints, (each) => wordsOf(each, names)).values()].filter((all) => {
    const early = all.reduce((sum, each) => sum + each.early, 0);
    const late = all.reduce((sum, each) => sum + each.count - each.early, 0);
    const expected = early * share;
    return early > 0 && late - expected <= DEVIATIONS * Math.sqrt(expected + 1);
  });
  return new Set(known.flat());
}

/** The words of a line without those that differ between nodes: names, places, ids. */
function wordsOf({ sample }: LogTemplate, names: readonly string[]): string {
  let text = sample.body.slice(0, MOST_TEXT).toLowerCase();
  for (const name of names) text = text.replaceAll(name.toLowerCase(), ' ');
  return text
    .replace(/\S*[\d#/.@]\S*/g, ' ')
    .replace(/[^a-z]+/g, ' ')
    .trim();
}
