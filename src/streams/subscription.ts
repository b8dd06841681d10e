import { Redis } from 'ioredis';
import { atMost } from '../lib/async.js';
import { connect } from '../redis/connect.js';
import { isCluster } from '../redis/redis-url.js';
import type { Batch } from './frame-ring.js';

/** ms without a reply after which a connection counts as half open. */
const PING_MS = 5_000;
/** Channels per SUBSCRIBE after a reconnect. */
const CHUNK = 1_000;

export interface SubscriptionEvents {
  /** Called with the frames of one append. */
  received(runId: string, batch: Batch): void;
  /** Called when a connection is lost. Later messages may come from another server. */
  interrupted(): void;
  /** Called when all channels are subscribed again. Messages before that may be missing. */
  restored(): void;
}

/**
 * This process's connection for published frames (in a cluster, one per shard) and its channels.
 * Reconnects by itself and detects half-open connections.
 */
export class Subscription {
  private readonly channels = new Set<string>();
  /** Subscriptions without a reply. */
  private readonly pending = new Set<{ connection: Redis; channels: string[]; since: number }>();
  private readonly sharded: boolean;
  private connection: Redis | undefined;
  private checking = false;

  constructor(
    private readonly url: string | undefined,
    private readonly events: SubscriptionEvents,
  ) {
    this.sharded = isCluster(url);
  }

  /** Resolves when the channel is subscribed. Waits while Redis is unavailable. */
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

  /**
   * Replaces a connection that does not reply.
   * @param missed whether a published message was not received
   */
  async check(missed: boolean): Promise<void> {
    const { connection } = this;
    if (!connection || this.checking || connection.status !== 'ready') return;
    this.checking = true;
    const alive = this.sharded ? !missed && !this.isOverdue() : await isResponsive(connection);
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
      this.events.received(runId, {
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

  /**
   * Subscribes to all channels and then reports it, so that a comparison after it misses nothing.
   */
  private async restore(connection: Redis): Promise<void> {
    const channels = [...this.channels];
    try {
      if (this.sharded)
        await Promise.all(channels.map((channel) => this.subscribe(connection, [channel])));
      else
        for (let i = 0; i < channels.length; i += CHUNK)
          await this.subscribe(connection, channels.slice(i, i + CHUNK));
    } catch {
      // Disconnected again: the next `ready` repeats this.
      return;
    }
    if (connection === this.connection) this.events.restored();
  }

  /** Whether a subscription has had no reply for too long. */
  private isOverdue(): boolean {
    const long = performance.now() - PING_MS;
    return [...this.pending].some(
      ({ connection, channels, since }) =>
        connection === this.connection &&
        since < long &&
        channels.some((channel) => this.channels.has(channel)),
    );
  }

  private async subscribe(connection: Redis, channels: string[]): Promise<void> {
    const asked = { connection, channels, since: performance.now() };
    this.pending.add(asked);
    try {
      if (this.sharded) await connection.ssubscribe(...channels);
      else await connection.subscribe(...channels);
    } finally {
      this.pending.delete(asked);
    }
    // The last follower of a channel may have left meanwhile.
    for (const channel of channels)
      if (connection === this.connection && !this.channels.has(channel)) this.remove(channel);
  }
}

function isResponsive(connection: Redis): Promise<boolean> {
  const ping = connection.ping().then(
    () => true,
    // Closed meanwhile: it reconnects by itself.
    () => true,
  );
  return atMost(PING_MS, ping, false);
}
