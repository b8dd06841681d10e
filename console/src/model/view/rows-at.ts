import type { RunModel } from '../run-model.js';
import type { AgentRow, RowStatus, RowUsage } from '../types.js';

/**
 * The dispatches that were there at `seq`, in the order of the tree, without those below a folded
 * one. Of a node: those that look at it, and who sent them.
 */
export function rowsAt(
  model: RunModel,
  seq: number,
  folded: ReadonlySet<string>,
  node: string | null = null,
): AgentRow[] {
  const rows: AgentRow[] = [];
  const leadsTo = (row: AgentRow): boolean =>
    row.startSeq <= seq &&
    (row.node === node ||
      row.bars.some((bar) => bar.node === node && bar.startSeq <= seq) ||
      row.children.some(leadsTo));
  const walk = (list: readonly AgentRow[]): void => {
    for (const row of list) {
      if (row.startSeq > seq || (node !== null && !leadsTo(row))) continue;
      rows.push(row);
      if (!folded.has(row.id)) walk(row.children);
    }
  };
  walk(model.roots);
  return rows;
}

/**
 * The dispatch that had cost the most at `seq`, by money, then by tokens; undefined if none had
 * used a model.
 */
export function costliestAt(
  model: RunModel,
  seq: number,
): { row: AgentRow; used: RowUsage } | undefined {
  const costs = [...model.rows.values()].flatMap((row) => {
    const used = row.usage.findLast((usage) => usage.seq <= seq);
    return used && (used.cost ?? 0) + used.tokens > 0 ? [{ row, used }] : [];
  });
  const [first] = costs.toSorted(
    (a, b) => (b.used.cost ?? 0) - (a.used.cost ?? 0) || b.used.tokens - a.used.tokens,
  );
  return first;
}

export interface Busiest {
  row: AgentRow;
  tookMs: number;
  /** The event that ended what took it the longest. */
  longestSeq: number;
}

/**
 * The dispatch that had been longest at work at `seq`: the time in which it waited for others does
 * not count.
 */
export function busiestAt(model: RunModel, seq: number): Busiest | undefined {
  const [first] = [...model.rows.values()]
    .flatMap((row) => workOf(row, seq) ?? [])
    .toSorted((a, b) => b.tookMs - a.tookMs);
  return first && first.tookMs > 0 ? first : undefined;
}

/** For how long a call of a model or a tool was under way, of those that had ended at `seq`. */
function workOf(row: AgentRow, seq: number): Busiest | undefined {
  const calls = row.bars.flatMap(({ kind, startTime, endTime, endSeq }) =>
    (kind === 'tool' || kind === 'model') && endTime !== null && endSeq !== null && endSeq <= seq
      ? [{ startTime, endTime, endSeq }]
      : [],
  );
  let tookMs = 0;
  let until = -Infinity;
  for (const { startTime, endTime } of calls.toSorted((a, b) => a.startTime - b.startTime)) {
    tookMs += Math.max(0, endTime - Math.max(startTime, until));
    until = Math.max(until, endTime);
  }
  const [longest] = calls.toSorted((a, b) => b.endTime - b.startTime - (a.endTime - a.startTime));
  return longest && { row, tookMs, longestSeq: longest.endSeq };
}

const wasAtWork = (row: AgentRow, seq: number): boolean =>
  row.startSeq <= seq && (row.endSeq === null || row.endSeq > seq);

/** Agents that were at work at `seq`. */
export const busyAt = (model: RunModel, seq: number): AgentRow[] =>
  [...model.rows.values()].filter((row) => wasAtWork(row, seq));

export type Outcome = Exclude<RowStatus, 'ok'> | 'critical' | 'warning' | 'ok';

/** How an agent has ended: by its work, else by the worst that it found or is known at `seq`. */
export function outcomeOfRow(model: RunModel, row: AgentRow, seq: number): Outcome {
  return row.status !== null && row.status !== 'ok' ? row.status : worstOfRow(model, row, seq);
}

const WORST_FIRST = ['critical', 'warning', 'ok'] as const;
type Found = (typeof WORST_FIRST)[number];

const worstOf = (found: readonly Found[]): Found =>
  WORST_FIRST.find((outcome) => found.includes(outcome)) ?? 'ok';

/** The worst that an agent or the agents below it found, or that is concluded of their nodes. */
function worstOfRow(model: RunModel, row: AgentRow, seq: number): Found {
  return worstOf([
    foundBy(row),
    ...row.children.map((child) => worstOfRow(model, child, seq)),
    ...nodesOf(row).map((node) => concludedOf(model, node, seq, row)),
  ]);
}

/** The worst that an agent itself reported or measured. */
const foundBy = ({ findings, bars }: AgentRow): Found =>
  worstOf([
    ...findings.map(({ severity }) => (severity === 'info' ? 'ok' : severity)),
    ...bars.map(({ kind, state }) => (kind === 'tool' && state === 'bad' ? 'critical' : 'ok')),
  ]);

/**
 * What is known of a node beyond what its agents found: a report concludes it from all of them.
 * What one of them found is not the outcome of another.
 */
function concludedOf(model: RunModel, node: string, seq: number, of: AgentRow): Found {
  const health = model.health(node, seq);
  const known =
    health === 'root' ? 'critical' : health === 'warning' || health === 'critical' ? health : 'ok';
  const others = model.nodes.get(node)?.looks.filter(({ row }) => row !== of) ?? [];
  const found = worstOf(others.map(({ row }) => foundBy(row)));
  return worstOf([found, known]) === found ? 'ok' : known;
}

/** The node that an agent is bound to, else those that were measured for it. */
function nodesOf({ node, bars }: AgentRow): string[] {
  if (node !== null) return [node];
  return [...new Set(bars.flatMap((bar) => bar.node ?? []))];
}
