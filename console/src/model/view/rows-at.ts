import type { RunModel } from '../run-model.js';
import type { AgentRow } from '../types.js';

/** The dispatches that were there at `seq`, in the order of the tree, without those below a folded one. */
export function rowsAt(model: RunModel, seq: number, folded: ReadonlySet<string>): AgentRow[] {
  const rows: AgentRow[] = [];
  const walk = (list: readonly AgentRow[]): void => {
    for (const row of list) {
      if (row.startSeq > seq) continue;
      rows.push(row);
      if (!folded.has(row.id)) walk(row.children);
    }
  };
  walk(model.roots);
  return rows;
}

const wasAtWork = (row: AgentRow, seq: number): boolean =>
  row.startSeq <= seq && (row.endSeq === null || row.endSeq > seq);

/** Agents that were at work at `seq`. */
export const busyAt = (model: RunModel, seq: number): AgentRow[] =>
  [...model.rows.values()].filter((row) => wasAtWork(row, seq));
