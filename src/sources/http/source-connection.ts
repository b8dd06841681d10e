import { Agent as PlainAgent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { HeldConnection, SourceServer } from './source-server.js';

/** Where the endpoint of a source listens. */
export function hostPortOfUrl({ hostname, port, protocol }: URL): { host: string; port: number } {
  const byDefault = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || byDefault };
}

/** A connection to a source that has a place among those to its host. */
export class SourceConnection implements HeldConnection {
  readonly agent: PlainAgent;
  private socket: Socket | undefined;
  private leave: () => Promise<void> = () => Promise.resolve();

  constructor(private readonly server: Pick<SourceServer, 'endpoint' | 'egress'>) {
    const options = { keepAlive: true, maxSockets: 1 };
    this.agent = server.endpoint.startsWith('https:')
      ? new TlsAgent(options)
      : new PlainAgent(options);
  }

  async ready(signal: AbortSignal): Promise<void> {
    if (this.socket?.writable) return;
    await this.giveBack();
    const target = hostPortOfUrl(new URL(this.server.endpoint));
    this.leave = await this.server.egress.enter(target, signal);
  }

  uses(socket: Socket): void {
    this.socket = socket;
  }

  async close(): Promise<void> {
    this.agent.destroy();
    await this.giveBack();
  }

  private async giveBack(): Promise<void> {
    const { leave } = this;
    this.leave = () => Promise.resolve();
    await leave();
  }
}

/**
 * Runs work whose requests to a server share a connection, which ends with the work.
 * @throws errors of the work
 */
export async function withConnection<Result>(
  server: SourceServer,
  work: (connected: SourceServer & { connection: HeldConnection }) => Promise<Result>,
): Promise<Result> {
  const connection = new SourceConnection(server);
  try {
    return await work({ ...server, connection });
  } finally {
    await connection.close();
  }
}
