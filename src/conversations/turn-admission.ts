import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import type { RunSpec } from '../domain/run.js';
import { Clock } from '../lib/clock.js';
import { LogPort } from '../event-log/log-port.js';
import { Idempotency } from '../runs/idempotency.js';
import { MessageQuota } from './message-quota.js';
import { goneTurn, type IdempotentPost, type OracleRequest } from './oracle-request.js';

/** @returns when the next month begins (UTC), in seconds from now */
function secondsToNextMonth(now: Date): number {
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  return Math.ceil((next - now.getTime()) / 1_000);
}

/**
 * Decides whether a caller may ask: by the switch of the feature, the key of a repeated request,
 * and the quota of messages.
 */
@Injectable()
export class TurnAdmission {
  constructor(
    private readonly log: LogPort,
    private readonly idempotency: Idempotency,
    private readonly quota: MessageQuota,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * The run of a turn: a new one with a place in the quota, or the existing one of its key, with
   * its original input.
   * @throws ConsiliumError FEATURE_DISABLED, RATE_LIMITED, IDEMPOTENCY_KEY_REUSED, RUN_EXPIRED
   */
  async admit(
    owner: string,
    turn: OracleRequest,
    keyed: IdempotentPost | undefined,
  ): Promise<{ runId: string; started?: RunSpec }> {
    if (this.config.oracle === 'off')
      throw new ConsiliumError('FEATURE_DISABLED', 'The oracle is switched off here');
    // The quota reads the month from it.
    const minted = uuid({ msecs: this.clock.now() });
    const runId = keyed ? await this.runOf(owner, turn, keyed, minted) : minted;
    if (runId !== minted) {
      const started = await this.log.spec(runId);
      if (started) return { runId, started };
      if (keyed?.resumes) throw goneTurn();
    }
    await this.takePlace(owner, runId);
    return { runId };
  }

  /** The message was not accepted. */
  giveBack(owner: string, runId: string): Promise<void> {
    return this.quota.giveBack(owner, runId);
  }

  private runOf(
    owner: string,
    turn: OracleRequest,
    { key, path, resumes }: IdempotentPost,
    minted: string,
  ): Promise<string> {
    return this.idempotency.runOf(
      key,
      { caller: owner, path },
      // A retry may be another span of the caller's trace.
      { body: { ...turn, traceparent: undefined }, runId: minted, resumes },
    );
  }

  /** @throws ConsiliumError RATE_LIMITED if the caller has no message left in this month */
  private async takePlace(owner: string, runId: string): Promise<void> {
    const full = await this.quota.take(owner, runId);
    if (!full) return;
    throw new ConsiliumError(
      'RATE_LIMITED',
      `Monthly message limit (${full.limit}) reached. Upgrade for more.`,
      {
        retryAfterSeconds: secondsToNextMonth(new Date(this.clock.now())),
        details: { ...full },
        limit: 'messages',
      },
    );
  }
}
