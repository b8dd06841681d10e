import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { JsonObject } from '../../lib/json.js';
import type { SqlRow } from '../../sources/sql/sql-task.js';
import { round } from '../result.js';
import type { Owns } from './sql-login.js';
import { numberIn, seconds, textIn } from './sql-values.js';

const SHOWN = 5;
/** A statement with a smaller share of the total time is not the main load of the server. */
const LEAST_SHARE = 0.5;
/** Fewer calls may be a report or a migration. */
const LEAST_CALLS = 10;

/**
 * The statements that took most time since the server's statistics began. They are history: the
 * most expensive one is information, and one that takes most of the total time is noted if it is
 * slow, too.
 * @param rows `database`, `query`, `calls`, `mean_ms`, `total_s` and `share` (of 1) of all
 *   statements of the server, the most first
 */
export function judgeStatements(
  rows: readonly SqlRow[],
  { owns, shown }: { owns: Owns; shown: (query: string) => string },
  slowMs: number,
): { statements: JsonObject[]; issues: Issue[] } {
  const own = rows.filter((row) => owns(textIn(row, 'database'), 'session')).slice(0, SHOWN);
  const statements = own.map((row) => ({
    query: shown(textIn(row, 'query')),
    calls: numberIn(row, 'calls'),
    mean_ms: round(numberIn(row, 'mean_ms')),
    total_s: round(numberIn(row, 'total_s')),
    share_percent: round(100 * numberIn(row, 'share')),
  }));
  const issues = statements
    .filter(({ calls, mean_ms, share_percent }) => {
      const isLargest = share_percent >= 100 * LEAST_SHARE;
      return isLargest && calls >= LEAST_CALLS && mean_ms > slowMs;
    })
    .map(({ query, calls, mean_ms, total_s, share_percent }): Issue => ({
      severity: 'info',
      symptom: 'advisory',
      title: `one statement takes ${Math.round(share_percent)} % of the time of all statements`,
      detail: `${query}: ${calls} calls, ${Math.round(mean_ms)} ms each, ${seconds(total_s)} in all since the statistics began.`,
    }));
  return { statements, issues };
}
