import type { Alert } from '../../src/alerts/alert.js';
import { AlertStore } from '../../src/alerts/alert-store.js';

/** An alert store in the memory of this process. */
export class MemoryAlertStore extends AlertStore {
  private readonly runs = new Map<number, string>();
  private readonly alerts = new Map<string, Map<string, Alert>>();
  private readonly answers = new Map<string, string>();

  override async runOf(topologyId: number) {
    return this.runs.get(topologyId);
  }

  override async claim(
    topologyId: number,
    { before, next }: { before: string | undefined; next: string },
  ) {
    const now = this.runs.get(topologyId);
    if (now !== undefined && now !== before) return now;
    this.runs.set(topologyId, next);
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

  override async answered(id: string) {
    return this.answers.get(id);
  }

  override async rememberAnswer(id: string, answer: string) {
    this.answers.set(id, answer);
  }
}
