import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TopologyNode } from '../../src/domain/topology/topology.js';
import { PROBE_POLICY } from '../../src/tools/probe-policy.js';
import type { ToolContext } from '../../src/tools/tool.js';

/** Real servers on loopback that end with the test, even if clients are still connected. */
export class Loopback {
  readonly #servers = new Set<Server>();
  readonly #sockets = new Set<Socket>();

  /** Listens on a free port, and returns it. */
  async open(server: Server, host = '127.0.0.1'): Promise<number> {
    this.#servers.add(server);
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(0, host, resolve),
    );
    return (server.address() as AddressInfo).port;
  }

  /** 0 as soon as all connections are closed, and the number of open ones after a minute. */
  async openConnections(): Promise<number> {
    const end = AbortSignal.timeout(60_000);
    for (const socket of this.#sockets)
      await once(socket, 'close', { signal: end }).catch(() => undefined);
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(
      [...this.#servers].map((server) => new Promise((resolve) => server.close(resolve))),
    );
    this.#servers.clear();
  }
}

/**
 * A loopback port on which nothing listens, for as long as this process runs: it is that of the
 * client of a connection, so that no other program is given it.
 */
export async function closedPort(): Promise<number> {
  const server = createServer((socket) => void socket.unref()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').unref();
  await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  server.close();
  return client.localPort as number;
}

const fixture = (file: string) =>
  readFileSync(join(import.meta.dirname, '../fixtures/tls', file), 'utf8');
export const testCa = (): string => fixture('ca.pem');
/** Key and certificate of a TLS server; see test/fixtures/tls/make.sh. */
export const testCertificate = (
  name: 'valid' | 'expired' | 'other-name' | 'self-signed' | 'expired-self-signed',
) => ({
  key: fixture('test.key'),
  cert: fixture(`${name}.pem`),
});

export function nodeOf(
  kind: string,
  endpoint?: string,
  attributes: TopologyNode['attributes'] = {},
): TopologyNode {
  return {
    id: 'target',
    name: 'Target',
    kind,
    dependsOn: [],
    attributes,
    ...(endpoint !== undefined && { endpoint }),
  };
}

export function contextOf(
  node: TopologyNode,
  {
    nodes = [],
    signal = new AbortController().signal,
    problem = '',
    policy = PROBE_POLICY,
    enter = () => Promise.resolve(() => Promise.resolve()),
  }: Partial<ToolContext> = {},
): ToolContext {
  return { node, nodes: [node, ...nodes], signal, problem, operation: 'run.t1', policy, enter };
}
