import type { NextFunction, Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';

const FORM = /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::(\d{1,5}))?$/;
const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/** An address as it stands in a URL. */
const bracketed = (address: string) => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
  return plain.includes(':') ? `[${plain}]` : plain;
};

/**
 * Whether a `Host` header names this service: one of the service's own names (`localhost`, the address that it listens on or that
 * the connection came to) with its port, or one that is allowed by configuration. A page that has its own name resolved to this
 * service (DNS rebinding) cannot send any of these.
 * @param own addresses of the service
 * @param allowed `name` (with any port) or `name:port`
 */
export function isOurHost(
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
 * Refuses requests for another host: 421 MISDIRECTED, and 400 for several `Host` headers or none. Contract section 10.
 * @param listens the address that the service listens on
 * @param allowed hosts beside its own, in lower case
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
    if (isOurHost(host, { addresses: [listens, localAddress], port }, allowed)) return next();
    next(
      new ConsiliumError(
        'MISDIRECTED',
        'This service does not answer for that host; ALLOWED_HOSTS names those that it does',
      ),
    );
  };
