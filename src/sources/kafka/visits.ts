import { SourceError } from '../http/source-error.js';
import type { KafkaBroker } from './kafka-calls.js';
import {
  type KafkaConnection,
  type KafkaReach,
  showAddress,
  withBroker,
} from './kafka-connection.js';
import type { KafkaAddress, KafkaServer } from './kafka-server.js';
import { signIn } from './sign-in.js';

/** Maximum number of recorded reasons. */
const MOST_REASONS = 20;

/** Runs work with a broker, as a user of the cluster. @throws as `withBroker` and `signIn` do */
export const asUser = <Result>(
  broker: KafkaAddress,
  server: KafkaServer,
  reach: KafkaReach,
  work: (connection: KafkaConnection) => Promise<Result>,
): Promise<Result> =>
  withBroker(broker, server, reach, async (connection) => {
    await signIn(connection, server);
    return work(connection);
  });

/** A broker that could not be reached, and why. */
export interface SilentVisit {
  id: number;
  address: string;
  error: SourceError;
}

/** Connections to the brokers of a cluster. A failed one does not prevent others. */
export class Visits {
  readonly silent: SilentVisit[] = [];
  /** What could not be read, and why. */
  readonly unread: string[] = [];
  /** Of that, what a right is missing for. */
  readonly refused: string[] = [];
  connections = 0;

  /**
   * @param cancel aborted when the reading is cancelled; its signal is also aborted when its time
   *   is over
   */
  constructor(
    readonly server: KafkaServer,
    readonly reach: KafkaReach,
    private readonly cancel: AbortSignal,
  ) {}

  note(why: string, isRefused = false): void {
    for (const reasons of isRefused ? [this.unread, this.refused] : [this.unread])
      if (reasons.length < MOST_REASONS && !reasons.includes(why)) reasons.push(why);
  }

  /**
   * @returns undefined if it failed, which is recorded
   * @throws the reason of the cancel; errors that are not errors of a source
   */
  async to<Result>(
    broker: KafkaBroker,
    work: (connection: KafkaConnection) => Promise<Result>,
  ): Promise<Result | undefined> {
    const { signal } = this.reach;
    try {
      signal.throwIfAborted();
      this.connections += 1;
      return await asUser(broker, this.server, this.reach, work);
    } catch (error) {
      this.cancel.throwIfAborted();
      if (signal.aborted) this.note(`broker ${broker.id}: no time was left`);
      else if (!(error instanceof SourceError)) throw error;
      // Nothing was received, which is a property of the broker; other errors show nothing about
      // it.
      else if (error.failure === 'unreachable')
        this.silent.push({ id: broker.id, address: showAddress(broker), error });
      else this.note(`broker ${broker.id}: ${error.message}`);
      return undefined;
    }
  }
}
