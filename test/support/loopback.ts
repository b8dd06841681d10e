import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, type Server, type Socket } from 'node:net';
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

  /** 0 as soon as all connections are closed, and the number of open ones after ten seconds. */
  async openConnections(): Promise<number> {
    const end = AbortSignal.timeout(10_000);
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

/** A loopback port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const { createServer } = await import('node:net');
  const loopback = new Loopback();
  const port = await loopback.open(createServer());
  await loopback.close();
  return port;
}

const fixture = (file: string) =>
  readFileSync(join(import.meta.dirname, '../fixtures/tls', file), 'utf8');
export const testCa = (): string => fixture('ca.pem');
/** Key and certificate of a TLS server; see test/fixtures/tls/make.sh. */
export const testCertificate = (name: 'valid' | 'expired' | 'other-name' | 'self-signed') => ({
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
    policy = PROBE_POLICY,
    enter = () => Promise.resolve(() => Promise.resolve()),
  }: Partial<ToolContext> = {},
): ToolContext {
  return { node, nodes: [node, ...nodes], signal, operation: 'run.t1', policy, enter };
}
