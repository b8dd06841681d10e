import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { ConsiliumError } from '../../domain/errors.js';
import type { EventData } from '../../domain/events/event.js';
import { isShownTo, ownerOfDiagnoses } from '../../domain/run.js';
import { isTerminalStatus } from '../../domain/run-status.js';
import { LogPort, type RunState } from '../../event-log/log-port.js';
import { startedBy, type Principal } from '../../http/access/principal.js';
import { mayDo } from '../../domain/roles.js';
import { RunControl } from '../run-control.js';
import { Topologies } from '../../topologies/topologies.js';
import { cardOfRun } from './run-card.js';
import { digestOf } from './run-digest.js';
import { Idempotency } from '../idempotency.js';
import { RunStarter, type AcceptedRun } from '../run-starter.js';
import type { TriggerRequest } from './trigger-request.js';

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Form of the run ids that this service creates (UUIDv7). */
const MINTED = /^.{14}7.{4}[89ab]/;
/**
 * The scope of the idempotency keys of a principal. Without authentication all callers are one.
 * Contract section 10.
 */
const scopeOf = (principal: Principal) => ({
  caller: startedBy(principal) ?? 'anonymous',
  path: 'executions/trigger',
});

const notFound = (runId: string) =>
  new ConsiliumError('RUN_NOT_FOUND', `There is no run ${runId.slice(0, 100)}`);
const gone = () => new ConsiliumError('RUN_EXPIRED', 'This run is no longer kept');

const mayCancel = (principal: Principal, head: RunState['head']): boolean =>
  mayDo(principal.role, 'runs:cancel-any') || head.startedBy === startedBy(principal);

/** The parts of a trigger besides its body. */
interface Trigger {
  /**
   * An `Idempotency-Key`. The same key and body is the same run; if a crash prevented it from being
   * accepted, it is accepted now.
   */
  key: string | undefined;
  /**
   * The position of the caller in that run. If the log lost all of it, the run is not started
   * again.
   */
  cursor: number;
  traceparent: string | undefined;
  /** Rejects if its caller has used up its triggers. */
  counted: Promise<void>;
}

/** Runs as clients see them. Contract section 3. */
@Injectable()
export class ExecutionsService {
  constructor(
    private readonly log: LogPort,
    private readonly control: RunControl,
    private readonly topologies: Topologies,
    private readonly starter: RunStarter,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * Accepts a run: it is in the log and will end. Writes the index, the log and (in `start`) the
   * job, in this order: docs/decisions/0008-order-across-keys.md.
   * @throws ConsiliumError RATE_LIMITED, TOPOLOGY_NOT_FOUND, IDEMPOTENCY_KEY_REUSED, RUN_EXPIRED
   */
  async accept(
    request: TriggerRequest,
    principal: Principal,
    { key, cursor, traceparent, counted }: Trigger,
  ): Promise<AcceptedRun> {
    const found = this.topologies.get(principal.tenant, request.topologyId);
    // A caller with too many triggers does not learn whether the topology exists.
    found.catch(() => undefined);
    await counted;
    const stored = await found;
    const minted = uuid();
    const runId =
      key === undefined
        ? minted
        : await this.idempotency.runOf(key, scopeOf(principal), {
            body: request,
            runId: minted,
            resumes: cursor > 0,
          });
    if (cursor > 0) await this.state(runId, ownerOfDiagnoses(principal.tenant), cursor);
    const isNew = key === undefined;
    const wanted = { ...request, startedBy: startedBy(principal), traceparent, isNew };
    return this.starter.diagnosis(runId, stored, wanted);
  }

  /**
   * @throws ConsiliumError RUN_NOT_FOUND, also for a chat of another caller's; FORBIDDEN;
   *   CANCEL_FAILED
   */
  async cancel(
    runId: string,
    caller: string,
    principal: Principal,
  ): Promise<{ type: 'cancelled'; runId: string; content: string; timestamp: string }> {
    const { head } = await this.state(runId, caller);
    if (head.kind === 'diagnosis' && !mayCancel(principal, head))
      throw new ConsiliumError(
        'FORBIDDEN',
        'Another principal started this run: only an operator may cancel it',
      );
    const ended = await this.control.cancel(runId, 'Execution was cancelled by user');
    if (!ended) throw notFound(runId);
    if (ended.status !== 'cancelled')
      throw new ConsiliumError('CANCEL_FAILED', `Execution already ${ended.status}`);
    const at = ended.now ? ended.at : ((await this.log.state(runId))?.endedAt ?? Date.now());
    return {
      type: 'cancelled',
      runId,
      content: 'Execution was cancelled by user',
      timestamp: new Date(at).toISOString(),
    };
  }

  /**
   * @param cursor the position of the caller in the run. If the run is unknown, the store has lost
   *   it
   * @throws ConsiliumError RUN_NOT_FOUND, also for a chat of another caller; RUN_EXPIRED
   */
  async state(runId: string, caller: string, cursor = 0): Promise<RunState> {
    const isId = RUN_ID.test(runId);
    const state = isId ? await this.log.state(runId) : undefined;
    if (state && isShownTo(caller, state.head)) return state;
    throw cursor > 0 && isId && MINTED.test(runId) ? gone() : notFound(runId);
  }

  /** @throws ConsiliumError RUN_NOT_FOUND */
  async show(runId: string, caller: string) {
    const state = await this.state(runId, caller);
    const ended = isTerminalStatus(state.status);
    const [terminal] = ended ? await this.log.events(runId, [state.lastSequence]) : [];
    const data = terminal?.data as Partial<EventData['lifecycle.completed']> | undefined;
    const stopping = ended ? await this.control.stopping(runId, state.head) : [];
    return {
      ...cardOfRun(runId, state, digestOf(terminal)),
      limits: state.head.limits ?? null,
      quiesced: ended && stopping.length === 0,
      stopping,
      summary: data?.summary ?? null,
      report: data?.report ?? null,
    };
  }
}
