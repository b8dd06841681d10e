import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { DEFAULT_TENANT, isTenant } from '../../domain/tenant.js';
import { findProviderKeys } from './identity-provider.js';
import { parseGroupRoles, roleOfGroups, type GroupRoles } from './identity-roles.js';
import type { Principal } from './principal.js';

/**
 * RFC 8725 section 3.1: only the algorithms that the service expects. Never `none`, never a shared
 * secret.
 */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];
/**
 * Types of access tokens; many providers send `JWT`, or none. RFC 9068 section 2.1, RFC 8725
 * section 3.11.
 */
const TYPES = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);
/**
 * Claims that only ID tokens have. Not `nonce`: access tokens of Keycloak had it before version 24.
 * OpenID Connect Core, section 3.3.2.11.
 */
const OF_ID_TOKENS = ['at_hash', 'c_hash'];
const SKEW_SECONDS = 60;
const MOST_BYTES = 16_384;

/**
 * Control and format characters, which would change how a log or a page shows a name; and a name of
 * spaces.
 */
const UNREADABLE = /\p{C}|^\s*$/u;
const claims = z.object({
  sub: z
    .string()
    .max(200)
    .refine((sub) => !UNREADABLE.test(sub)),
});

/** Verifies access tokens of an OpenID Connect provider. RFC 9068. */
export class JwtVerifier {
  private keys: Promise<JWTVerifyGetKey> | undefined;
  private readonly roles: GroupRoles;

  constructor(
    private readonly config: Pick<
      Config,
      'oidcIssuer' | 'oidcAudience' | 'oidcTenantClaim' | 'oidcGroupsClaim' | 'groupRoles'
    >,
  ) {
    this.roles = parseGroupRoles(config.groupRoles);
  }

  /**
   * The principal of a token; undefined if the token is not valid here.
   * @param refuse receives the reason, for the operator: the client must not learn it
   * @throws ConsiliumError UNAVAILABLE while its provider cannot be asked
   */
  async principalOf(
    token: string,
    refuse: (reason: string) => void = () => undefined,
  ): Promise<Principal | undefined> {
    const found = await this.verify(token);
    if (typeof found !== 'string') return found;
    refuse(found);
    return undefined;
  }

  /**
   * The principal of a token, or why it is refused: without text of the token, which any client can
   * write.
   */
  private async verify(token: string): Promise<Principal | string> {
    const { oidcIssuer: issuer = '', oidcAudience: audience = '' } = this.config;
    if (token.length > MOST_BYTES || token.split('.').length !== 3)
      return `it is no token of three parts and at most ${MOST_BYTES} characters`;
    this.keys ??= findProviderKeys(issuer);
    this.keys.catch(() => (this.keys = undefined));
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await this.keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: SKEW_SECONDS,
        requiredClaims: ['sub', 'exp'],
      });
      if (!TYPES.has(protectedHeader.typ?.toLowerCase()))
        return 'its type is not that of an access token';
      return this.read(payload);
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      return reasonOf(error);
    }
  }

  private read(payload: JWTPayload): Principal | string {
    const { oidcTenantClaim, oidcGroupsClaim } = this.config;
    if (OF_ID_TOKENS.some((claim) => claim in payload))
      return 'it is an ID token, not an access token';
    const subject = claims.safeParse(payload);
    if (!subject.success) return 'its claim sub is no name';
    const groups = z.array(z.string()).safeParse(payload[oidcGroupsClaim]);
    const role = roleOfGroups(groups.success ? groups.data : [], this.roles);
    if (role === undefined)
      return `no group in its claim ${oidcGroupsClaim} has a role in GROUP_ROLES`;
    const tenant = oidcTenantClaim === undefined ? DEFAULT_TENANT : payload[oidcTenantClaim];
    if (typeof tenant !== 'string' || !isTenant(tenant))
      return `its claim ${oidcTenantClaim} is no tenant`;
    return { tenant, name: subject.data.sub, role, expiresAt: (payload.exp ?? 0) * 1_000 };
  }
}

function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `its claim ${error.claim} is missing or not valid here`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature is not valid';
  if (error instanceof errors.JWKSNoMatchingKey) return 'the provider has not published its key';
  return 'it cannot be read, or its algorithm is not accepted';
}
