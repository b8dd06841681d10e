import { Injectable } from '@nestjs/common';
import type { RunSpec } from '../domain/run.js';
import { RunStarter } from '../runs/run-starter.js';
import { CallerTurns } from './caller-turns.js';
import { noConversation } from './conversation.js';
import { Exchanges } from './exchanges.js';
import { TurnAdmission } from './turn-admission.js';
import { TurnPlanner, type PlannedTurn } from './turn-planner.js';
import type { AcceptedTurn, IdempotentPost, OracleRequest } from './oracle-request.js';

/** Turns of conversations: each is a run of the oracle. Contract section 8. */
@Injectable()
export class Turns {
  constructor(
    private readonly admission: TurnAdmission,
    private readonly planner: TurnPlanner,
    private readonly starter: RunStarter,
    private readonly exchanges: Exchanges,
    private readonly callers: CallerTurns,
  ) {}

  /**
   * Accepts a turn; the one that is running in its conversation is cancelled. Its log exists before
   * the conversation refers to it, so that the next turn finds a log to cancel.
   * @throws ConsiliumError FEATURE_DISABLED, RATE_LIMITED, NOT_FOUND, TOPOLOGY_NOT_FOUND,
   *   VALIDATION_FAILED, IDEMPOTENCY_KEY_REUSED, RUN_EXPIRED
   */
  async accept(owner: string, turn: OracleRequest, keyed?: IdempotentPost): Promise<AcceptedTurn> {
    const { runId, started } = await this.admission.admit(owner, turn, keyed);
    const accepted = started
      ? await this.join(runId, started)
      : await this.begin(owner, turn, runId);
    if (turn.exclusive) await this.callers.begin(owner, accepted);
    return accepted;
  }

  private async begin(owner: string, turn: OracleRequest, runId: string): Promise<AcceptedTurn> {
    const { spec, events } = await this.plan(owner, turn, runId);
    // From here on there may be a log, which shows whether the message was answered.
    const accepted = await this.starter.accept(runId, spec, events);
    if (!(await this.exchanges.enter(runId, accepted.spec))) throw noConversation();
    return { ...accepted, joins: false };
  }

  private async plan(owner: string, turn: OracleRequest, runId: string): Promise<PlannedTurn> {
    try {
      return await this.planner.plan(owner, turn, runId);
    } catch (error) {
      await this.admission.giveBack(owner, runId);
      throw error;
    }
  }

  /** The process that accepted it may have died before the conversation referred to it. */
  private async join(runId: string, spec: RunSpec): Promise<AcceptedTurn> {
    if (!(await this.exchanges.enterLate(runId, spec))) throw noConversation();
    return { runId, spec, start: () => Promise.resolve(), joins: true };
  }
}
