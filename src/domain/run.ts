import type { Limits } from './limits.js';
import type { Topology } from './topology.js';

/**
 * ```
 * queued ──claim──▶ running ──▶ completed
 *    │                 ├──────▶ failed
 *    └─────────────────┴──────▶ cancelled
 * ```
 */
export type RunStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

export const RUN_STATUSES: readonly RunStatus[] = ['queued', 'running', 'completed', 'failed', 'cancelled'];

export const isTerminalStatus = (status: RunStatus): boolean => status === 'completed' || status === 'failed' || status === 'cancelled';

/** What a run was started with, pinned for its life. */
export interface RunSpec {
  kind: 'diagnosis' | 'chat';
  owner: string;
  topology: Topology;
  topologyVersion: number;
  userMessage: string;
  limits: Limits;
  onDisconnect: 'continue' | 'cancel';
}
