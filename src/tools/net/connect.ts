import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { amongAddresses } from '../../lib/http/among-addresses.js';
import type { TrustOptions } from '../attributes.js';
import type { EgressPolicy } from '../egress/egress-policy.js';
import type { ToolContext } from '../tool.js';
import type { HostPort } from './endpoint.js';

/**
 * The TLS that runs over a connection. Only the outermost may be destroyed, and takes the other
 * with it: Node 20 crashes (a segmentation fault) when the connection below a finished handshake is
 * destroyed first.
 */
const outermost = new WeakMap<Socket, TLSSocket>();

/**
 * Runs work that connects to a target while it has a place among the connections to its host. The
 * work must have closed its connection when it ends. What it measures does not include the wait.
 *
 * @throws the signal's reason; UnmeasuredError; what the work throws
 */
export async function withPlace<T>(
  context: Pick<ToolContext, 'enter'>,
  { host, port }: HostPort,
  work: () => Promise<T>,
): Promise<T> {
  const leave = await context.enter(host, port);
  try {
    return await work();
  } finally {
    await leave();
  }
}

/**
 * A TCP connection to a checked address of the target; `signal` closes it.
 * @throws EgressDeniedError; errors of `net` and of name resolution
 */
export async function connectTcp(
  target: HostPort,
  egress: EgressPolicy,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const addresses = await egress.resolve(target);
  signal.throwIfAborted();
  const socket = connect({ ...target, ...amongAddresses(target.host, addresses) });
  socket.on('error', () => undefined); // Errors after the last listener is gone.
  signal.addEventListener('abort', () => (outermost.get(socket) ?? socket).destroy(), {
    once: true,
  });
  await once(socket, 'connect');
  return socket;
}

/**
 * TLS over a connection of {@link connectTcp}, whose signal ends it too. It is not verified here,
 * so that a faulty certificate can be read: look at it with `readCertificate`, and send nothing
 * secret before.
 *
 * @throws errors of the handshake
 */
export async function secure(
  socket: Socket,
  host: string,
  trust: TrustOptions,
): Promise<TLSSocket> {
  const name = trust.serverName ?? host;
  const tls = connectTls({
    socket,
    servername: isIP(name) === 0 ? name : '', // RFC 6066: no address in SNI
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    ...(trust.ca !== undefined && { ca: trust.ca }),
  });
  tls.on('error', () => undefined);
  outermost.set(socket, tls);
  await once(tls, 'secureConnect');
  return tls;
}
