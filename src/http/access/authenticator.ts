import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG } from '../../config/config.module.js';
import { listOf, type Config } from '../../config/config.js';
import { ConsiliumError } from '../../domain/errors.js';
import { FailedLogins } from '../limits/failed-logins.js';
import { ApiKeys } from './api-keys.js';
import { JwtVerifier } from './jwt-verifier.js';
import { LOCAL, type Principal } from './principal.js';
import { ProxyIdentity } from './proxy-identity.js';
import { Sessions, sessionOf } from './sessions.js';
import { StreamTickets, ticketOf } from './stream-tickets.js';

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

const MISSING = 'This needs a credential: Authorization: Bearer KEY, or X-API-Key';

/** @param reason for the audit log; the client does not get it */
const unauthenticated = (message: string, reason?: string) =>
  new ConsiliumError('UNAUTHENTICATED', message, {
    headers: CHALLENGE,
    ...(reason !== undefined && { cause: reason }),
  });

interface Credential {
  text: string;
  /** @param refuse receives the reason why the credential is not valid, if that is known */
  check: (refuse?: (reason: string) => void) => Promise<Principal | undefined>;
  /** The message if it is not valid. */
  otherwise: string;
}

/**
 * Finds the principal of a request by its credential, in the ways that AUTH allows. Contract
 * section 10.
 */
@Injectable()
export class Authenticator {
  private readonly open: boolean;
  private readonly withKeys: boolean;
  private readonly jwt: JwtVerifier | undefined;
  private readonly proxy: ProxyIdentity | undefined;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly keys: ApiKeys,
    private readonly sessions: Sessions,
    private readonly tickets: StreamTickets,
    private readonly failures: FailedLogins,
  ) {
    const ways = listOf(config.auth);
    this.open = ways.includes('none');
    this.withKeys = ways.includes('keys');
    this.jwt = ways.includes('jwt') ? new JwtVerifier(config) : undefined;
    this.proxy = ways.includes('proxy') ? new ProxyIdentity(config) : undefined;
  }

  /**
   * A sent credential must be valid: an invalid one is not ignored in favour of another.
   * @throws ConsiliumError UNAUTHENTICATED, RATE_LIMITED after too many failures of its address;
   *   errors of the store or the identity provider
   */
  async principalOf(request: Request): Promise<Principal> {
    if (this.open) return LOCAL;
    const sent = this.credentialOf(request);
    if (sent) {
      const { remoteAddress } = request.socket;
      let reason: string | undefined;
      const check = () => sent.check((why) => (reason = why));
      const principal = await this.failures.guard(remoteAddress, sent.text, check);
      return found(principal, sent.otherwise, reason);
    }
    return found(this.proxy?.principalOf(request), MISSING);
  }

  /**
   * Checks the credential of an admitted request again. This is not a login: it does not count as a
   * failed one, and an address with too many of those is not refused.
   * @throws ConsiliumError UNAUTHENTICATED; errors of the store or the identity provider
   */
  async recheck(request: Request): Promise<void> {
    if (this.open) return;
    const sent = this.credentialOf(request);
    if (sent) found(await sent.check(), sent.otherwise);
    else found(this.proxy?.principalOf(request), MISSING);
  }

  /** Whether a request has nothing that could identify its principal, although it must. */
  hasNoCredential(request: Request): boolean {
    return (
      !this.open &&
      this.credentialOf(request) === undefined &&
      this.proxy?.principalOf(request) === undefined
    );
  }

  private credentialOf(request: Request): Credential | undefined {
    const bearer = bearerOf(request);
    if (bearer !== undefined)
      return {
        text: bearer,
        check: (refuse) => this.ofBearer(bearer, refuse),
        otherwise: 'The API key or token is not valid here',
      };
    const session = sessionOf(request);
    if (session !== undefined)
      return {
        text: session,
        check: () => this.sessions.principalOf(session),
        otherwise: 'The session has ended',
      };
    const ticket = ticketOf(request);
    if (ticket === undefined) return undefined;
    return {
      text: ticket,
      check: () => this.tickets.principalOf(ticket, request.path),
      otherwise: 'The ticket of this stream is no longer valid',
    };
  }

  private async ofBearer(
    text: string,
    refuse?: (reason: string) => void,
  ): Promise<Principal | undefined> {
    if (text.startsWith('csk_')) return this.withKeys ? this.keys.principalOf(text) : undefined;
    return this.jwt?.principalOf(text, refuse);
  }
}

function found(principal: Principal | undefined, otherwise: string, reason?: string): Principal {
  if (principal) return principal;
  throw unauthenticated(otherwise, reason);
}

/** RFC 6750 section 2.1. A header of another scheme is a credential that is not valid here. */
function bearerOf({ headers }: Request): string | undefined {
  const key = headers['x-api-key'];
  const { authorization } = headers;
  if (authorization === undefined) return typeof key === 'string' && key !== '' ? key : undefined;
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
}
