import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface Link {
  client: Socket;
  upstream: Socket;
  /** The server's responses are lost from here on. */
  deaf: boolean;
  /** Half-open: nothing passes any more. */
  dead: boolean;
}

/**
 * A proxy to a TCP server that simulates network faults until they are ended: cut, refused, reset,
 * delayed, stalled, half-open, or losing the response to a request that arrived.
 */
export class TcpProxy {
  private readonly links = new Set<Link>();
  private readonly server: Server;
  private open = true;
  private silent = false;
  private lateMs = 0;
  private held: (() => void)[] | undefined;
  private losing: { pattern: RegExp; left: number; then: 'reset' | 'silence' } | undefined;
  private trapped: { pattern: RegExp; caught: () => void; then: 'swallow' | 'hold' } | undefined;
  /** Number of accepted connections so far. */
  accepted = 0;

  private constructor(private target: { port: number; host: string }) {
    this.server = createServer({ noDelay: true }, (client) => this.accept(client));
  }

  static async to(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpProxy({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Directs new connections to another server. Open connections stay. */
  retarget(url: string): void {
    const { hostname, port } = new URL(url);
    this.target = { host: hostname, port: Number(port) };
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Number of open connections. */
  get connections(): number {
    return this.links.size;
  }

  /** The addresses from which it is connected to the server. */
  get addresses(): string[] {
    return [...this.links].map(({ upstream }) => `${upstream.localAddress}:${upstream.localPort}`);
  }

  /** Whether a response still has to be lost. */
  get isLosing(): boolean {
    return this.losing !== undefined;
  }

  /** Resets every connection, and refuses new ones. */
  cut(): void {
    this.open = false;
    this.reset();
  }

  /** Resets every connection and accepts new ones. */
  reset(): void {
    for (const { client, upstream } of this.links) {
      client.resetAndDestroy();
      upstream.destroy();
    }
    this.links.clear();
  }

  /** Delays each direction by this many ms. */
  delay(ms: number): void {
    this.lateMs = ms;
  }

  /** Stalls all connections. What was sent meanwhile passes when the fault is ended. */
  hold(): void {
    this.held ??= [];
  }

  /**
   * Makes open connections half-open for ever: nothing passes, and neither end notices that the
   * other has closed. New connections are half-open until the fault is ended.
   */
  swallow(): void {
    this.silent = true;
    for (const link of this.links) link.dead = true;
  }

  /**
   * The next `times` requests that match arrive, but their responses are lost: the connection is
   * reset, or stays silent.
   */
  loseAnswers(pattern: RegExp, times = 1, then: 'reset' | 'silence' = 'reset'): void {
    this.losing = { pattern, left: times, then };
  }

  /**
   * Resolves when a request matches. The request does not arrive, and its connection is half-open
   * from then on.
   */
  trap(pattern: RegExp): Promise<void> {
    return new Promise((caught) => (this.trapped = { pattern, caught, then: 'swallow' }));
  }

  /**
   * Resolves when a request matches. All connections are stalled from this request on, until the
   * fault is ended.
   */
  holdAt(pattern: RegExp): Promise<void> {
    return new Promise((caught) => (this.trapped = { pattern, caught, then: 'hold' }));
  }

  /** Ends all faults, except for connections that are half-open. */
  mend(): void {
    const held = this.held ?? [];
    [this.open, this.silent, this.lateMs] = [true, false, 0];
    [this.held, this.losing, this.trapped] = [undefined, undefined, undefined];
    held.forEach((pass) => pass());
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private accept(client: Socket): void {
    if (!this.open) return void client.resetAndDestroy();
    this.accepted++;
    const link: Link = {
      client,
      upstream: connect({ ...this.target, noDelay: true }),
      deaf: false,
      dead: this.silent,
    };
    this.links.add(link);
    this.join(link, client, link.upstream);
    this.join(link, link.upstream, client);
  }

  private join(link: Link, from: Socket, to: Socket): void {
    const way = new OneWay();
    const pass = (act: () => void) => {
      if (link.dead) return;
      if (this.held) this.held.push(() => way.pass(act, 0));
      else way.pass(act, this.lateMs);
    };
    from.on('error', () => undefined);
    from.on('close', () => pass(() => (this.links.delete(link), to.destroy())));
    from.on('data', (bytes: Buffer) => {
      if (from === link.client) this.hear(link, bytes);
      else if (link.deaf) return;
      pass(() => to.destroyed || to.write(bytes));
    });
  }

  private hear(link: Link, bytes: Buffer): void {
    const request = bytes.toString('latin1');
    const { losing, trapped } = this;
    if (trapped?.pattern.test(request)) {
      this.trapped = undefined;
      if (trapped.then === 'hold') this.hold();
      else link.dead = true;
      trapped.caught();
    }
    if (!losing?.pattern.test(request)) return;
    if (--losing.left <= 0) this.losing = undefined;
    link.deaf = true;
    // The request has arrived if the server has responded.
    if (losing.then === 'reset') link.upstream.once('data', () => link.client.resetAndDestroy());
  }
}

/** One direction of a connection. Chunks keep their order if the delay changes. */
class OneWay {
  private last: Promise<void> | undefined;

  pass(act: () => void, lateMs: number): void {
    if (lateMs === 0 && !this.last) return act();
    const due = sleep(lateMs);
    const mine = Promise.all([this.last, due]).then(() => {
      act();
      if (this.last === mine) this.last = undefined;
    });
    this.last = mine;
  }
}
