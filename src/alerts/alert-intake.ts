import { Inject, Injectable } from '@nestjs/common';
import { ConsiliumError } from '../domain/errors.js';
import { startedBy, type Principal } from '../http/access/principal.js';
import { Clock } from '../lib/clock.js';
import { Topologies } from '../topologies/topologies.js';
import type { Alert, AlertDelivery } from './alert.js';
import { AlertRuns, type IntakeOutcome } from './alert-runs.js';
import type { DeliveryAnswer } from './alert-views.js';
import { ALERTS_FILE } from './alerts-file-token.js';
import type { AlertsFile } from './alerts-file.js';
import { routeAlerts, TOPOLOGY_LABEL, type RoutedAlerts } from './route-alerts.js';
import { TopologySelectors } from './topology-selectors.js';

const MINUTE_MS = 60_000;

/** Errors of a topology that would occur again if the delivery were repeated. */
const FINAL = new Set(['TOPOLOGY_NOT_FOUND', 'VALIDATION_FAILED']);

const alertsOf = (count: number): string => (count === 1 ? '1 alert' : `${count} alerts`);

/** Names of labels in a reason; the alerts of one delivery may have thousands. */
const MOST_LABELS = 64;

/** The names of the labels that routes and selectors were compared with. */
function labelsOf(alerts: readonly Alert[]): string {
  const names = [...new Set(alerts.flatMap(({ labels }) => Object.keys(labels)))];
  return names.slice(0, MOST_LABELS).join(', ') || 'none';
}

function withoutTopology(alerts: readonly Alert[]): string {
  const reason = `${alertsOf(alerts.length)}: no label, route or selector leads to a topology (labels: ${labelsOf(alerts)})`;
  const misnamed = alerts.some(({ labels }) => labels[TOPOLOGY_LABEL] !== undefined);
  return misnamed ? `${reason}; ${TOPOLOGY_LABEL} must be the id of a topology, a number` : reason;
}

/**
 * Takes a delivery of alerts apart and starts or joins a run for each topology that they concern.
 */
@Injectable()
export class AlertIntake {
  constructor(
    private readonly runs: AlertRuns,
    private readonly topologies: Topologies,
    private readonly selectors: TopologySelectors,
    @Inject(ALERTS_FILE) private readonly file: AlertsFile,
    private readonly clock: Clock,
  ) {}

  /**
   * Alerts of a topology that is not there or cannot be diagnosed are ignored: a repeated delivery
   * would not change that. Each topology is handled, whatever happens to another one.
   * @throws ConsiliumError if a topology could not be handled now: the delivery is to be repeated
   */
  async receive(delivery: AlertDelivery, principal: Principal): Promise<DeliveryAnswer> {
    const selectors = await this.selectors.all(principal.tenant);
    const { routed, ignored } = await routeAlerts(delivery.alerts, this.file.routes, selectors);
    const reasons = [
      ...(delivery.reason === undefined ? [] : [delivery.reason]),
      ...(ignored.length === 0 ? [] : [withoutTopology(ignored)]),
    ];
    const answer: DeliveryAnswer = {
      received: delivery.alerts.length,
      ignored: ignored.length,
      runs: [],
    };
    const failures: unknown[] = [];
    for (const each of routed) {
      try {
        const taken = await this.take(each, delivery, principal);
        if (taken.outcome === 'ignored') {
          answer.ignored += each.alerts.length;
          reasons.push(`${alertsOf(each.alerts.length)}: ${taken.reason}`);
        } else answer.runs.push({ topologyId: each.topologyId, ...taken });
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return { ...answer, ...(reasons.length > 0 && { reasons }) };
  }

  private async take(
    routed: RoutedAlerts,
    { source, leftOff }: AlertDelivery,
    principal: Principal,
  ): Promise<IntakeOutcome> {
    const { topologyId } = routed;
    const now = this.clock.now();
    try {
      const stored = await this.topologies.get(principal.tenant, topologyId);
      return await this.runs.take({
        source,
        stored,
        routed,
        leftOff,
        startedBy: startedBy(principal),
        quietSince: now - this.file.quietMinutes * MINUTE_MS,
        stormSince: now - this.file.stormSeconds * 1_000,
      });
    } catch (error) {
      if (!(error instanceof ConsiliumError && FINAL.has(error.code))) throw error;
      const reason =
        error.code === 'TOPOLOGY_NOT_FOUND'
          ? `there is no topology ${topologyId}`
          : `topology ${topologyId} cannot be diagnosed: ${error.message}`;
      return { outcome: 'ignored', reason };
    }
  }
}
