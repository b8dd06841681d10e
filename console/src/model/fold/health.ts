import type { RunModel } from '../run-model.js';
import type { Health } from '../types.js';
import type { Severity } from '../../../../src/client/index.js';

const RANK: Record<Health, number> = {
  unknown: 0,
  unchecked: 1,
  ok: 2,
  warning: 3,
  critical: 4,
  root: 5,
};

export const healthOfSeverity = (severity: Severity): Health =>
  severity === 'info' ? 'ok' : severity;

/** The health of a node is the worst that was reported about it: improvements are ignored. */
export function worsen(
  model: RunModel,
  node: string,
  change: { seq: number; health: Health; why: string },
): void {
  const track = model.nodes.get(node);
  if (!track) return;
  const now = track.changes.at(-1)?.health ?? 'unknown';
  if (RANK[change.health] > RANK[now]) track.changes.push(change);
}
