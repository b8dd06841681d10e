import { Redis } from 'ioredis';
import { connect, isCluster } from '../redis/connect.js';
import type { Batch } from './frame-ring.js';

/** A connection that does not answer for so long is taken for half open. */
const PING_MS = 5_000;
/** Channels of one SUBSCRIBE when there are many to be had again. */
const CHUNK = 1_000;

export interface SubscriptionEvents {
  /** What one append published to a channel. */
  heard(runId: string, batch: Batch): void;
  /** A connection has gone: whatever is heard from here on may come from another server. */
  interrupted(): void;
  /** All channels are subscribed (again): what was published until now may not have been heard. */
  restored(): void;
}

/**
 * This node's one connection for what is published (in a cluster one for each shard), and the channels that it wants to hear.
 * Comes back by itself after a loss, and looks whether it is alive: a half-open connection says nothing.
 */
export class Subscription {
  private readonly channels = new Set<string>();
  /** What was subscribed to and has not been answered. */
  private readonly asked = new Set<{ connection: Redis; channels: string[]; since: number }>();
  private readonly sharded: boolean;
  private connection: Redis | undefined;
  private checking = false;

  constructor(
    private readonly url: string | undefined,
    private readonly events: SubscriptionEvents,
  ) {
    this.sharded = isCluster(url);
  }

  /** Resolves when the channel is heard. Waits for Redis, for as long as that takes. */
  async add(channel: string): Promise<void> {
    this.channels.add(channel);
    this.connection ??= this.open();
    await this.subscribe(this.connection, [channel]);
  }

  remove(channel: string): void {
    this.channels.delete(channel);
    const dropped = this.sharded
      ? this.connection?.sunsubscribe(channel)
      : this.connection?.unsubscribe(channel);
    dropped?.catch(() => undefined);
  }

  /** Makes sure that the connection is alive; makes a new one if it is not. @param missed something was published that it did not bring */
  async check(missed: boolean): Promise<void> {
    const { connection } = this;
    if (!connection || this.checking || connection.status !== 'ready') return;
    this.checking = true;
    const alive = this.sharded ? !missed && !this.waitsInVain() : await answers(connection);
    this.checking = false;
    if (!alive && connection === this.connection) this.renew();
  }

  close(): void {
    this.connection?.disconnect();
    this.connection = undefined;
    this.channels.clear();
  }

  private renew(): void {
    this.events.interrupted();
    this.connection?.disconnect();
    this.connection = this.open();
    if (this.sharded) void this.restore(this.connection);
  }

  private open(): Redis {
    const connection = connect(this.url, undefined, { autoResubscribe: this.sharded });
    const hear = (name: Buffer, message: Buffer) => {
      if (connection !== this.connection) return;
      const runId = name.toString('latin1', name.indexOf('{') + 1, name.indexOf('}'));
      const cut = message.indexOf(10);
      const [first, last, sealed] = message.toString('latin1', 0, cut).split(' ');
      this.events.heard(runId, {
        first: Number(first),
        last: Number(last),
        sealed: sealed === '1',
        bytes: message.subarray(cut + 1),
      });
    };
    const interrupted = () => connection === this.connection && this.events.interrupted();
    for (const event of this.sharded ? ['-subscriber', '+subscriber'] : ['close'])
      connection.on(event, interrupted);
    connection.on(this.sharded ? 'smessageBuffer' : 'messageBuffer', hear);
    connection.on(this.sharded ? 'subscribersReady' : 'ready', () => void this.restore(connection));
    return connection;
  }

  /** Subscribes to everything, and only then reports it: a comparison with the log after that misses nothing. */
  private async restore(connection: Redis): Promise<void> {
    const channels = [...this.channels];
    try {
      if (this.sharded)
        await Promise.all(channels.map((channel) => this.subscribe(connection, [channel])));
      else
        for (let i = 0; i < channels.length; i += CHUNK)
          await this.subscribe(connection, channels.slice(i, i + CHUNK));
    } catch {
      // It has gone again: it will be ready again.
      return;
    }
    if (connection === this.connection) this.events.restored();
  }

  /** Whether a shard does not answer: nothing can be missed of what was never heard. */
  private waitsInVain(): boolean {
    const long = performance.now() - PING_MS;
    return [...this.asked].some(
      ({ connection, channels, since }) =>
        connection === this.connection &&
        since < long &&
        channels.some((channel) => this.channels.has(channel)),
    );
  }

  private async subscribe(connection: Redis, channels: string[]): Promise<void> {
    const asked = { connection, channels, since: performance.now() };
    this.asked.add(asked);
    try {
      if (this.sharded) await connection.ssubscribe(...channels);
      else await connection.subscribe(...channels);
    } finally {
      this.asked.delete(asked);
    }
    // Its last follower may have left while we asked.
    for (const channel of channels)
      if (connection === this.connection && !this.channels.has(channel)) this.remove(channel);
  }
}

async function answers(connection: Redis): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), PING_MS)));
  const ping = connection.ping().then(
    () => true,
    // It has been closed meanwhile: it comes back by itself.
    () => true,
  );
  const alive = await Promise.race([ping, late]);
  clearTimeout(timer);
  return alive;
}
