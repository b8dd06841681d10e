import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface Link {
  client: Socket;
  upstream: Socket;
  /** What the server answers from here on is lost. */
  deaf: boolean;
  /** Half-open: nothing will ever pass again. */
  dead: boolean;
}

/**
 * A way to a TCP server that can be made as bad as a network can be: cut, refusing, reset, late, holding things up,
 * half-open, or losing the answer to what has arrived. Until it is mended.
 */
export class TcpProxy {
  private readonly links = new Set<Link>();
  private readonly server: Server;
  private open = true;
  private silent = false;
  private lateMs = 0;
  private held: (() => void)[] | undefined;
  private losing: { pattern: RegExp; left: number; then: 'reset' | 'silence' } | undefined;
  private trapped: { pattern: RegExp; caught: () => void } | undefined;
  /** Connections that were let in so far. */
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

  /** From now on it leads to another server. Connections that are open stay where they are. */
  retarget(url: string): void {
    const { hostname, port } = new URL(url);
    this.target = { host: hostname, port: Number(port) };
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.links.size;
  }

  /** Whether an answer that is to be lost has not been yet. */
  get isLosing(): boolean {
    return this.losing !== undefined;
  }

  /** Resets every connection, and refuses new ones. */
  cut(): void {
    this.open = false;
    this.reset();
  }

  /** Resets every connection; new ones are let in. */
  reset(): void {
    for (const { client, upstream } of this.links) {
      client.resetAndDestroy();
      upstream.destroy();
    }
    this.links.clear();
  }

  /** Each direction takes this much longer. */
  delay(ms: number): void {
    this.lateMs = ms;
  }

  /** Nothing passes; what was to pass does when it is mended. */
  hold(): void {
    this.held ??= [];
  }

  /**
   * Half-open: nothing passes on these connections any more, ever; neither end hears of the other, not even that it has gone.
   * New ones are the same until it is mended.
   */
  swallow(): void {
    this.silent = true;
    for (const link of this.links) link.dead = true;
  }

  /** The next `times` requests that match arrive, but not their answers: the connection is reset, or stays silent. */
  loseAnswers(pattern: RegExp, times = 1, then: 'reset' | 'silence' = 'reset'): void {
    this.losing = { pattern, left: times, then };
  }

  /** Resolves when a request comes that matches. It does not arrive, and its connection is half open from there on. */
  trap(pattern: RegExp): Promise<void> {
    return new Promise((caught) => (this.trapped = { pattern, caught }));
  }

  /** All is well again, but for connections that are half open. */
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
      link.dead = true;
      trapped.caught();
    }
    if (!losing?.pattern.test(request)) return;
    if (--losing.left <= 0) this.losing = undefined;
    link.deaf = true;
    // It has arrived once the server has answered it.
    if (losing.then === 'reset') link.upstream.once('data', () => link.client.resetAndDestroy());
  }
}

/** One direction of a connection: however the delay changes, nothing overtakes what came before it. */
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
