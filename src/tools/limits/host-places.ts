import { UnmeasuredError } from '../unmeasured-error.js';
import type {
  ProbeAdmission,
  ConnectionLimiter,
  PlaceAnswer,
  Probe,
} from './connection-limiter.js';

type FinalAdmission = Exclude<ProbeAdmission, { kind: 'wait' }>;

interface Waiter {
  answer: (admission: FinalAdmission) => void;
  fail: (error: Error) => void;
}

/**
 * The result of one exchange: the outcome of each requested probe, and when to ask again; `failed`:
 * nothing is known about it.
 */
interface ExchangeResult {
  answers: (ProbeAdmission | Error)[];
  again?: PlaceAnswer['again'];
  failed?: true;
}

/** Maximum probes that one exchange requests. */
const ASKED_AT_ONCE = 100;
/**
 * Maximum probes that ended or were withdrawn while the limiter could not be reached. Further ones
 * expire.
 */
const MOST_RETURNED = 1_000;
/** ms after which a failed exchange is repeated. */
const RETRY_MS = 1_000;

/**
 * The places of one process among the connections to one host. Probes that begin and end together
 * are one exchange with the limiter, so that a probe takes over the place of the previous one; one
 * exchange runs at a time. The places that a failed exchange would have returned, and those that it
 * may have been granted, are returned by the next one.
 */
export class HostPlaces {
  private readonly held = new Set<string>();
  private readonly waiting = new Map<Probe, Waiter>();
  private ended: Probe[] = [];
  private withdrawn: Probe[] = [];
  private exchanging = false;
  /** The next exchange. */
  private timer: NodeJS.Timeout | undefined;
  /** The error for waiting probes, until the next exchange. */
  private refused: 'rate' | 'places' | undefined;

  /**
   * @param names the host and this process, as in `PlaceRequest`
   * @param onIdle called when no probe is under way and none waits
   */
  constructor(
    private readonly limiter: ConnectionLimiter,
    private readonly names: { host: string; process: string },
    private readonly onIdle: () => void,
  ) {}

  /**
   * Waits for a place, in the order of the calls. A granted place must be returned by `end`.
   * @throws the signal's reason; UnmeasuredError if the limiter fails
   */
  begin(probe: Probe, signal: AbortSignal): Promise<FinalAdmission> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.waiting.delete(probe);
        if (this.waiting.size === 0) this.changed();
        reject(signal.reason as Error);
      };
      const settled = () => signal.removeEventListener('abort', abort);
      signal.addEventListener('abort', abort, { once: true });
      this.waiting.set(probe, {
        answer: (admission) => {
          settled();
          resolve(admission);
        },
        fail: (error) => {
          settled();
          reject(error);
        },
      });
      if (this.refused === undefined) this.changed();
    });
  }

  /** Returns a place; calling it again does nothing. */
  end(probe: Probe): void {
    if (!this.held.delete(probe.token)) return;
    this.ended.push(probe);
    this.changed();
  }

  /** Returns the place of a probe that was not begun. */
  withdraw(probe: Probe): void {
    this.held.delete(probe.token);
    this.withdrawn.push(probe);
    this.changed();
  }

  /**
   * Plans an exchange after this turn of the event loop, unless it would not let another probe
   * begin.
   */
  private changed(): void {
    if (this.exchanging || (this.refused === 'rate' && this.waiting.size > 0)) return;
    this.refused = undefined;
    this.plan(0);
  }

  private plan(ms: number): NodeJS.Timeout {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.exchange(), ms);
    return this.timer;
  }

  private async exchange(): Promise<void> {
    const wanted = [...this.waiting.keys()].slice(0, ASKED_AT_ONCE);
    const ended = this.ended.splice(0);
    const withdrawn = this.withdrawn.splice(0);
    this.exchanging = true;
    const { answers, again, failed } = await this.ask(ended, withdrawn, wanted);
    this.exchanging = false;
    if (failed) {
      this.ended = [...ended, ...this.ended].slice(-MOST_RETURNED);
      this.withdrawn = [...withdrawn, ...wanted, ...this.withdrawn].slice(-MOST_RETURNED);
    }
    wanted.forEach((probe, index) => this.settle(probe, answers[index]));
    this.refused = again?.limit;
    const { leaseMs } = this.limiter;
    if (failed) this.plan(Math.min(RETRY_MS, leaseMs / 4)).unref();
    else if (again && this.waiting.size > 0) {
      this.plan(Math.min(again.ms, leaseMs / 4));
      if (again.limit === 'places' && this.returned > 0) this.changed();
    } else if (this.waiting.size > 0 || this.returned > 0) this.changed();
    else if (this.held.size === 0) this.onIdle();
    else if (leaseMs < Infinity) this.plan(leaseMs / 4).unref();
  }

  private get returned(): number {
    return this.ended.length + this.withdrawn.length;
  }

  private async ask(ended: Probe[], withdrawn: Probe[], wanted: Probe[]): Promise<ExchangeResult> {
    try {
      const request = { ...this.names, ended, withdrawn, held: [...this.held], wanted };
      const { admissions, again } = await this.limiter.exchange(request);
      return { answers: admissions, again };
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const what = 'this service could not count the connections to the host';
      const error = new UnmeasuredError(`${what}: ${why}`, { cause });
      return { answers: wanted.map(() => error), failed: true };
    }
  }

  private settle(probe: Probe, answer: ProbeAdmission | Error | undefined): void {
    if (answer === undefined || ('kind' in answer && answer.kind === 'wait')) return;
    const waiter = this.waiting.get(probe);
    this.waiting.delete(probe);
    if (answer instanceof Error) return waiter?.fail(answer);
    if (answer.kind === 'granted') this.held.add(probe.token);
    if (waiter) waiter.answer(answer);
    else if (answer.kind === 'granted') this.withdraw(probe);
  }
}
