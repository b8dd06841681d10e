import { Injectable } from '@nestjs/common';
import { tenantOf } from '../../domain/tenant.js';
import { LogPort, type RunState } from '../../event-log/log-port.js';
import { RunIndex } from '../../event-log/run-index.js';

/**
 * Number of newest runs that are checked even if they are not open: a short run begins and ends
 * between two checks.
 */
const NEWEST = 50;

export interface RunChange {
  runId: string;
  state: RunState;
}

/**
 * Determines which runs have changed since the last check. One check costs a read of each open run,
 * however many clients follow.
 */
@Injectable()
export class RunChanges {
  /** Run → its status and last sequence at the last check. Undefined before the first check. */
  private seen: ReadonlyMap<string, string> | undefined;
  /** The tenants whose newest runs were checked: the first check of one finds no change. */
  private looked: readonly string[] = [];

  constructor(
    private readonly log: LogPort,
    private readonly index: RunIndex,
  ) {}

  /** Begins again: the next check finds no change. */
  forget(): void {
    this.seen = undefined;
  }

  /**
   * @param tenants of the clients that follow
   * @throws the error of the store's client while the store cannot be reached; the next check then
   *   includes this one
   */
  async read(tenants: readonly string[]): Promise<RunChange[]> {
    const before = this.seen;
    const [open, newest] = await Promise.all([
      this.index.open(),
      Promise.all(tenants.map((tenant) => this.index.page({ tenant }, undefined, NEWEST))),
    ]);
    const present = new Set([...open, ...newest.flat()].map(({ runId }) => runId));
    const ids = [...new Set([...present, ...(before?.keys() ?? [])])];
    const states = await Promise.all(ids.map((runId) => this.log.state(runId)));
    const seen = new Map<string, string>();
    const changes: RunChange[] = [];
    for (const [i, runId] of ids.entries()) {
      const state = states[i];
      if (!state) continue;
      const mark = `${state.status}:${state.lastSequence}`;
      if (present.has(runId)) seen.set(runId, mark);
      const isNew = !this.looked.includes(tenantOf(state.head.owner));
      if (before && !isNew && before.get(runId) !== mark) changes.push({ runId, state });
    }
    this.seen = seen;
    this.looked = tenants;
    return changes;
  }
}
