import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { ConsiliumError } from '../domain/errors.js';
import { isTerminalStatus } from '../domain/run-status.js';
import { LogPort, type RunState } from '../event-log/log-port.js';
import { RunControl } from '../runs/run-control.js';
import { RunStarter } from '../runs/run-starter.js';
import type { StoredTopology } from '../topologies/stored-topology.js';
import { MOST_ALERTS, type Alert, type AlertSource } from './alert.js';
import { alertEvents, messageOf } from './alert-message.js';
import { AlertStore } from './alert-store.js';
import type { RoutedAlerts } from './route-alerts.js';

/**
 * Maximum attempts: another process may start or end the run of a topology at the same time; the
 * state is then read again.
 */
const MOST_ATTEMPTS = 10;
/**
 * Maximum deliveries whose changes become events of a run; later ones change only the alerts that
 * are stored beside its log.
 */
const MOST_CHANGES = 500;

/** The alerts of one delivery for one topology. */
export interface Intake {
  source: AlertSource;
  stored: StoredTopology;
  routed: RoutedAlerts;
  leftOff: number;
  startedBy: string | undefined;
  /** ms by the log's clock: a run that ended later is not started again for the same alerts. */
  quietSince: number;
  /**
   * ms by the log's clock: if the run before began later, the next one begins that much later, and
   * the alerts of the storm that come until then join it.
   */
  stormSince: number;
}

interface IgnoredOutcome {
  outcome: 'ignored';
  reason: string;
}

/**
 * `started` a run; `joined` a running one; `linked` to one that ended recently and had the same
 * alerts; `resolved`: recorded with the run that ended; `ignored`: resolved alerts without a run.
 */
export type IntakeOutcome =
  { outcome: 'started' | 'joined' | 'linked' | 'resolved'; runId: string } | IgnoredOutcome;

/**
 * Turns alerts into runs: at most one at a time for a topology. Every call may be repeated, by the
 * same or another process, after any of its steps: the run is claimed before it is accepted, and
 * the log records each state of an alert once.
 */
@Injectable()
export class AlertRuns {
  constructor(
    private readonly store: AlertStore,
    private readonly log: LogPort,
    private readonly starter: RunStarter,
    private readonly control: RunControl,
  ) {}

  async take(intake: Intake): Promise<IntakeOutcome> {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const runId = await this.store.runOf(keyOf(intake));
      const state = runId === undefined ? undefined : await this.log.state(runId);
      const outcome = await this.takeBy(intake, runId, state);
      if (outcome) return outcome;
    }
    throw new ConsiliumError(
      'UNAVAILABLE',
      'The run of these alerts changes too often; try again',
      {
        retryAfterSeconds: 1,
      },
    );
  }

  /** @returns undefined if another process was faster */
  private async takeBy(
    intake: Intake,
    runId: string | undefined,
    state: RunState | undefined,
  ): Promise<IntakeOutcome | undefined> {
    const firing = intake.routed.alerts.filter(({ status }) => status === 'firing');
    if (runId !== undefined && state) {
      if (!isTerminalStatus(state.status)) return this.join(intake, runId);
      const known = await this.store.alertsOf(runId);
      if (firing.length === 0) return this.recordAfter(intake, runId, known);
      const isRecent = (state.endedAt ?? 0) > intake.quietSince && !wasCutShort(state, known);
      if (isRecent && firing.every(({ fingerprint }) => known.has(fingerprint))) {
        await this.store.record(runId, firing);
        return { outcome: 'linked', runId };
      }
    }
    if (firing.length === 0) return IGNORED;
    // A run that was claimed but is not in the log: the process that claimed it died, or has not
    // accepted it yet.
    if (runId !== undefined && !state) return this.start(intake, runId, firing);
    const next = uuid();
    const claimed = await this.store.claim(keyOf(intake), { before: runId, next });
    const delayMs = state ? beganAt(state) - intake.stormSince : 0;
    return claimed === next ? this.start(intake, next, firing, delayMs) : undefined;
  }

  /** Accepts the run, unless it was accepted meanwhile; then the alerts join it. */
  private async start(
    { source, stored, routed, leftOff, startedBy }: Intake,
    runId: string,
    firing: readonly Alert[],
    delayMs = 0,
  ): Promise<IntakeOutcome | undefined> {
    const notes = alertEvents(source, firing);
    const { nodes, teams } = stored.topology;
    const accepted = await this.starter.diagnosis(runId, stored, {
      userMessage: messageOf(source, firing, { suspects: routed.suspects, leftOff }),
      nodes: routed.nodes.filter((id) => nodes.some((node) => node.id === id)),
      teams: routed.teams.filter((name) => teams.some((team) => team.name === name)),
      startedBy,
      notes,
    });
    const noted = await this.log.note(runId, notes);
    await accepted.start(Math.max(0, delayMs));
    if (noted === 'sealed') return undefined;
    await this.store.record(runId, firing);
    return { outcome: 'started', runId };
  }

  private async join(
    { source, routed }: Intake,
    runId: string,
  ): Promise<IntakeOutcome | undefined> {
    const known = await this.store.alertsOf(runId);
    const news = newsOf(routed.alerts, known);
    if (news.length > 0) {
      const isLogged = (await this.store.countChange(runId)) <= MOST_CHANGES;
      const noted = await this.log.note(runId, isLogged ? alertEvents(source, news) : []);
      if (noted === 'sealed' || noted === 'missing') return undefined;
      await this.store.record(runId, news);
    }
    if (routed.cancelOnResolve) await this.cancelIfResolved(runId);
    return { outcome: 'joined', runId };
  }

  /**
   * Nothing is appended to the log of a run that has ended: alerts that resolve later are stored
   * with the run.
   */
  private async recordAfter(
    { routed }: Intake,
    runId: string,
    known: ReadonlyMap<string, Alert>,
  ): Promise<IntakeOutcome> {
    const resolved = routed.alerts.filter(({ fingerprint }) => known.has(fingerprint));
    await this.store.record(runId, resolved);
    return resolved.length === 0 ? IGNORED : { outcome: 'resolved', runId };
  }

  private async cancelIfResolved(runId: string): Promise<void> {
    const alerts = [...(await this.store.alertsOf(runId)).values()];
    if (alerts.length > 0 && alerts.every(({ status }) => status === 'resolved'))
      await this.control.cancel(runId, 'All alerts of this run have resolved');
  }
}

const IGNORED: IgnoredOutcome = {
  outcome: 'ignored',
  reason: 'resolved, and no run knows of it',
};

const beganAt = ({ startedAt, createdAt }: RunState): number => startedAt ?? createdAt;

/**
 * Whether a run was cancelled and its alerts had resolved: if they fire again, there is no
 * diagnosis of them yet.
 */
const wasCutShort = ({ status }: RunState, known: ReadonlyMap<string, Alert>): boolean =>
  status === 'cancelled' && [...known.values()].every((alert) => alert.status === 'resolved');

const keyOf = ({ stored, routed }: Intake) => ({ tenant: stored.tenant, id: routed.topologyId });

/**
 * The alerts whose state a run does not know; of those that it never knew, as many as it has room
 * for.
 */
function newsOf(alerts: readonly Alert[], known: ReadonlyMap<string, Alert>): Alert[] {
  const news = alerts.filter((alert) => isNews(alert, known.get(alert.fingerprint)));
  const isKnown = ({ fingerprint }: Alert) => known.has(fingerprint);
  const unknown = news.filter((alert) => !isKnown(alert));
  const room = Math.max(0, MOST_ALERTS - known.size);
  return [...news.filter(isKnown), ...unknown.slice(0, room)];
}

/**
 * Whether a run does not know this state of an alert. If it never knew the alert, a resolution is
 * not news.
 */
const isNews = ({ status, startsAt }: Alert, known: Alert | undefined): boolean =>
  known === undefined
    ? status === 'firing'
    : known.status !== status || known.startsAt !== startsAt;
