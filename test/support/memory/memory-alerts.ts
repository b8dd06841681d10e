import type { Alert } from '../../../src/alerts/alert.js';
import { AlertStore, type TopologyKey } from '../../../src/alerts/alert-store.js';

const keyOf = ({ tenant, id }: TopologyKey) => `${tenant}/${id}`;

/** An alert store in the memory of this process. */
export class MemoryAlertStore extends AlertStore {
  private readonly runs = new Map<string, string>();
  private readonly alerts = new Map<string, Map<string, Alert>>();
  private readonly changes = new Map<string, number>();
  private readonly answers = new Map<string, string>();

  override async runOf(topology: TopologyKey) {
    return this.runs.get(keyOf(topology));
  }

  override async claim(
    topology: TopologyKey,
    { before, next }: { before: string | undefined; next: string },
  ) {
    const now = this.runs.get(keyOf(topology));
    if (now !== undefined && now !== before) return now;
    this.runs.set(keyOf(topology), next);
    return next;
  }

  override async alertsOf(runId: string) {
    return new Map(this.alerts.get(runId));
  }

  override async record(runId: string, alerts: readonly Alert[]) {
    const known = this.alerts.get(runId) ?? new Map<string, Alert>();
    for (const alert of alerts) known.set(alert.fingerprint, alert);
    this.alerts.set(runId, known);
  }

  override async countChange(runId: string) {
    const count = (this.changes.get(runId) ?? 0) + 1;
    this.changes.set(runId, count);
    return count;
  }

  override async answered(id: string) {
    return this.answers.get(id);
  }

  override async rememberAnswer(id: string, answer: string) {
    this.answers.set(id, answer);
  }
}
