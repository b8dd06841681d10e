import type { NextFunction, Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';

const FORM = /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::(\d{1,5}))?$/;
const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/** An address as written in a URL. */
const bracketed = (address: string) => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
  return plain.includes(':') ? `[${plain}]` : plain;
};

/**
 * Whether a `Host` header names this service: `localhost` or an address of the service, with its
 * port, or a configured host. A page whose own name resolves to this service (DNS rebinding) cannot
 * send such a header.
 * @param own addresses of the service: where it listens, and where the connection arrived
 * @param allowed `name` (with any port) or `name:port`
 * @internal Exported for tests.
 */
export function isServiceHost(
  host: string,
  own: { addresses: readonly string[]; port: number | undefined },
  allowed: readonly string[],
): boolean {
  const [, name, port = '80'] = FORM.exec(host.toLowerCase()) ?? [];
  if (name === undefined) return false;
  if (allowed.some((entry) => entry === host.toLowerCase() || entry === name)) return true;
  const names = [...LOCAL, ...own.addresses.map(bracketed)];
  return Number(port) === own.port && names.includes(name);
}

/**
 * The host in a request target: it has one in the absolute form, which then counts as `Host` does
 * (RFC 9112 section 3.2.2).
 */
function hostsOfTarget(target: string): string[] {
  if (target.startsWith('/') || target === '*') return [];
  return [/^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1] ?? ''];
}

/**
 * Refuses requests for another host with 421 MISDIRECTED, and several or no `Host` headers with 400
 * (contract section 10).
 * @param listens the address that the service listens on
 * @param allowed configured hosts, in lower case
 */
export const checkHost =
  (listens: string, allowed: readonly string[]) =>
  (request: Request, _response: Response, next: NextFunction): void => {
    const [host, ...more] = request.headersDistinct['host'] ?? [];
    if (host === undefined || more.length > 0) {
      const faults = [{ path: 'Host', message: 'must be sent exactly once' }];
      return next(new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', { faults }));
    }
    const { localAddress = listens, localPort: port } = request.socket;
    const own = { addresses: [listens, localAddress], port };
    const hosts = [host, ...hostsOfTarget(request.originalUrl)];
    if (hosts.every((each) => isServiceHost(each, own, allowed))) return next();
    next(
      new ConsiliumError(
        'MISDIRECTED',
        'This service does not serve that host; add it to ALLOWED_HOSTS',
      ),
    );
  };
