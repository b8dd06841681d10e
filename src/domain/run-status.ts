/**
 * ```
 * queued ──claim──▶ running ──▶ completed
 *    │                 ├──────▶ failed
 *    └─────────────────┴──────▶ cancelled
 * ```
 */
export type RunStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

export const RUN_STATUSES: readonly RunStatus[] = [
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
];

export const isTerminalStatus = (status: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';
