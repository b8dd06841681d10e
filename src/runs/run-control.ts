import { Injectable, Logger } from '@nestjs/common';
import type { DraftEvent, EventData, RunEvent, Source } from '../domain/events/event.js';
import type { Report } from '../domain/diagnosis/finding.js';
import { topOf, type RunHead, type RunSpec } from '../domain/run.js';
import { isTerminalStatus, type RunStatus } from '../domain/run-status.js';
import { LogPort } from '../event-log/log-port.js';
import { readShownTopology } from '../event-log/read-shown-topology.js';
import { listsOf } from '../event-log/run-index.js';
import { Presence } from '../streams/presence.js';
import { RunCloser } from './run-closer.js';
import { CutReports } from './cut-reports.js';
import { RunJobs } from './run-jobs.js';
import { topSource } from './top-source.js';

/** The end of a run. `now`: this call ended it. */
export interface RunEnd {
  status: RunStatus;
  now: boolean;
  /** ms by the log's clock, if `now`. */
  at: number;
}

/**
 * Starts runs and ends them from outside: seals the log first, then stops the work. See
 * docs/decisions/0006-cancel-seals-first.md.
 */
@Injectable()
export class RunControl {
  private readonly logger = new Logger(RunControl.name);

  constructor(
    private readonly log: LogPort,
    private readonly closer: RunCloser,
    private readonly jobs: RunJobs,
    private readonly presence: Presence,
    private readonly reports: CutReports,
  ) {}

  /** Queues the top agent, which begins after a delay. Idempotent. */
  start(runId: string, spec: RunSpec, delayMs = 0): Promise<void> {
    return this.jobs.start(runId, spec, delayMs);
  }

  cancel(runId: string, reason: string): Promise<RunEnd | undefined> {
    return this.end(runId, (report) => ({
      name: 'lifecycle.cancelled',
      source: null,
      data: { reason, report },
    }));
  }

  /** Gives a run with `onDisconnect: "cancel"` 10 s until its first follower must be there. */
  async expectFollower(runId: string, { onDisconnect }: RunSpec): Promise<void> {
    if (onDisconnect === 'cancel') await this.presence.renew(runId);
  }

  /**
   * Cancels a run with `onDisconnect: "cancel"` that no client has followed for 10 s.
   * @returns whether it did
   */
  async cancelIfAbandoned(runId: string, { onDisconnect }: RunHead): Promise<boolean> {
    if (onDisconnect !== 'cancel' || (await this.presence.isFollowed(runId))) return false;
    await this.cancel(runId, 'No client followed the run for 10 s');
    return true;
  }

  async fail(
    runId: string,
    code: string,
    error: string,
    retryable = true,
  ): Promise<RunEnd | undefined> {
    const ended = await this.end(runId, (report, source) => ({
      name: 'lifecycle.failed',
      source,
      data: { error, code, retryable, report },
    }));
    if (ended?.now) this.logger.error({ msg: 'a run has failed', runId, code, error });
    return ended;
  }

  /** Ends a run whose log is full. */
  failFull(runId: string): Promise<RunEnd | undefined> {
    return this.fail(
      runId,
      'LOG_LIMIT',
      'The log of the run is full (LOG_MAX_EVENTS, LOG_MAX_BYTES). The report has the findings until then.',
      false,
    );
  }

  /** As {@link RunJobs.remove}. */
  removeJobs(runId: string, head: Pick<RunHead, 'kind'>): Promise<(string | null)[]> {
    return this.jobs.remove(runId, head);
  }

  /** Names of the agents that still work on a run that has ended. */
  async stopping(runId: string, head: RunHead): Promise<string[]> {
    if (!(await this.closer.isOpen(runId, listsOf(head)))) return [];
    const left = await this.jobs.remove(runId, head);
    if (left.length === 0) return [];
    const [spec, events] = await Promise.all([this.log.spec(runId), this.log.reports(runId)]);
    if (!spec) return [];
    const { teams } = spec.topology;
    const names = new Map(
      teams
        .flatMap((team) => [team.supervisor, ...team.workers])
        .map(({ agentId, name }) => [agentId, name]),
    );
    const agentOf = new Map(
      events
        .filter(({ event }) => event.action !== 'report')
        .map(({ data }) => data as EventData['dispatch.worker'])
        .map(({ dispatch_id, agent_id }) => [dispatch_id, agent_id]),
    );
    return left.map((dispatchId) =>
      dispatchId === null
        ? topOf(spec).name
        : (names.get(agentOf.get(dispatchId) ?? '') ?? dispatchId),
    );
  }

  private async end(
    runId: string,
    event: (report: Report | null, source: Source | null) => DraftEvent,
  ): Promise<RunEnd | undefined> {
    const [state, spec] = await Promise.all([this.log.state(runId), this.log.spec(runId)]);
    if (!state) return undefined;
    const { status, head } = state;
    if (isTerminalStatus(status)) {
      // Repeated, because a crash may have prevented it. A run without a specification was closed
      // long ago.
      if (spec) void this.stop(runId, head);
      return { status, now: false, at: 0 };
    }
    const topology = spec?.topology ?? (await readShownTopology(this.log, runId));
    const source = topology
      ? topSource({ topology, ...(spec?.chat && { chat: spec.chat }) })
      : null;
    const fold = async (events: RunEvent[]) =>
      event(
        topology && head.kind === 'diagnosis'
          ? await this.reports.of(
              runId,
              {
                topology,
                ...(spec?.files !== undefined && { files: spec.files }),
                ...(spec?.repair && { repair: spec.repair }),
              },
              events,
            )
          : null,
        source,
      );
    const sealed = await this.log.seal(runId, fold);
    if (!sealed) return undefined;
    // The seal decides; the announcement only makes it fast.
    void this.stop(runId, head);
    return { status: sealed.status, now: sealed.sealed, at: sealed.ms };
  }

  private async stop(runId: string, head: RunHead): Promise<void> {
    try {
      const left = await this.jobs.stop(runId, head);
      // Active jobs end on their own; the sweeper closes the run then.
      if (left.length === 0) await this.closer.close(runId, listsOf(head));
    } catch (error) {
      this.logger.warn(
        `could not stop the work of run ${runId}, which has ended: ${String(error)}`,
      );
    }
  }
}
