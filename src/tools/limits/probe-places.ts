import { setTimeout as wait } from 'node:timers/promises';
import { ExclusiveLock } from '../../lib/exclusive-lock.js';
import { UnmeasuredError } from '../unmeasured-error.js';
import {
  type Admission,
  type ConnectionLimiter,
  countedBy,
  nameOf,
  type ProbeTarget,
} from './connection-limiter.js';

/** The target's probes have killed processes: it is not probed until an operator lifts that. */
export class QuarantinedError extends UnmeasuredError {
  override readonly code = 'NODE_QUARANTINED';

  constructor(readonly target: string) {
    super(
      `${target} is quarantined: probing it has ended processes of this service; DELETE /tools/quarantine/${target} lifts that`,
    );
  }
}

/** Where the tools of a process ask for places, one for each process; first come, first served among those for the same host. */
export class ProbePlaces {
  private readonly queues = new Map<string, Promise<void>>();
  /** A probe that may be what ended a process runs alone, so that the next death can be attributed to it. */
  private readonly alone = new ExclusiveLock();

  constructor(private readonly limiter: ConnectionLimiter) {}

  /**
   * Waits for a place among the connections to the target's host.
   * @returns gives it back, once its connection has ended
   * @throws the signal's reason; QuarantinedError; UnmeasuredError where the limiter fails
   */
  async enter(target: ProbeTarget, signal: AbortSignal): Promise<() => Promise<void>> {
    const host = countedBy(target);
    const turn = (this.queues.get(host) ?? Promise.resolve()).then(() =>
      this.admit(target, signal),
    );
    const done = turn.then(
      () => undefined,
      () => undefined,
    );
    this.queues.set(host, done);
    void done.then(() => this.queues.get(host) === done && this.queues.delete(host));
    return turn;
  }

  private async ask(target: ProbeTarget): Promise<Admission> {
    try {
      return await this.limiter.enter(target);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const what = 'this service could not count the connections to the host';
      throw new UnmeasuredError(`${what}: ${why}`, { cause });
    }
  }

  private async admit(target: ProbeTarget, signal: AbortSignal): Promise<() => Promise<void>> {
    for (;;) {
      signal.throwIfAborted();
      const admission = await this.ask(target);
      switch (admission.kind) {
        case 'quarantined':
          throw new QuarantinedError(nameOf(target));
        case 'wait':
          await wait(admission.ms, undefined, { signal }).catch(() => signal.throwIfAborted());
          continue;
        case 'granted': {
          const release = await this.alone.enter(admission.suspect);
          const leave = async () => {
            release();
            await admission.leave();
          };
          if (!signal.aborted) return leave;
          await leave();
        }
      }
    }
  }
}
