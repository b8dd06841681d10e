import { randomUUID } from 'node:crypto';
import { ExclusiveLock } from '../../lib/exclusive-lock.js';
import { UnmeasuredError } from '../unmeasured-error.js';
import {
  type ConnectionLimiter,
  countedBy,
  nameOf,
  type Probe,
  type ProbeTarget,
} from './connection-limiter.js';
import { HostPlaces } from './host-places.js';

/**
 * The target's probes have killed processes: it is not probed until an operator lifts that.
 * @internal Exported for tests.
 */
export class QuarantinedError extends UnmeasuredError {
  override readonly code = 'NODE_QUARANTINED';

  constructor(readonly target: string) {
    super(
      `${target} is quarantined: probing it has ended processes of this service; DELETE /tools/quarantine/${target} lifts that`,
    );
  }
}

/**
 * Where the tools of a process request places, one for each process; in the order of the calls for
 * the same host.
 */
export class ProbePlaces {
  private readonly hosts = new Map<string, HostPlaces>();
  private readonly process = randomUUID();
  private begun = 0;
  /**
   * A probe that may have ended a process runs alone, so that the next death can be attributed to
   * it.
   */
  private readonly alone = new ExclusiveLock();

  constructor(private readonly limiter: ConnectionLimiter) {}

  /**
   * Waits for a place among the connections to the target's host.
   * @returns gives it back, once its connection has ended
   * @throws the signal's reason; QuarantinedError; UnmeasuredError where the limiter fails
   */
  async enter(target: ProbeTarget, signal: AbortSignal): Promise<() => Promise<void>> {
    signal.throwIfAborted();
    const probe = { target, token: `${this.process}:${(this.begun += 1)}` };
    // A place that is held while another probe runs alone would count as a death of this one if the
    // process died because of the other.
    let release = await this.alone.enter(false);
    try {
      let begun = await this.begin(probe, signal);
      if (begun.suspect) {
        begun.places.withdraw(probe);
        release();
        release = await this.alone.enter(true);
        begun = await this.begin(probe, signal);
      }
      return () => {
        release();
        begun.places.end(probe);
        return Promise.resolve();
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  private async begin(
    probe: Probe,
    signal: AbortSignal,
  ): Promise<{ places: HostPlaces; suspect: boolean }> {
    signal.throwIfAborted();
    const places = this.placesOf(countedBy(probe.target));
    const admission = await places.begin(probe, signal);
    if (admission.kind === 'quarantined') throw new QuarantinedError(nameOf(probe.target));
    return { places, suspect: admission.suspect };
  }

  private placesOf(host: string): HostPlaces {
    const known = this.hosts.get(host);
    if (known) return known;
    const names = { host, process: this.process };
    const places = new HostPlaces(this.limiter, names, () => this.hosts.delete(host));
    this.hosts.set(host, places);
    return places;
  }
}
