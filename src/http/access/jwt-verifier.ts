import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { DEFAULT_TENANT, isTenant } from '../../domain/tenant.js';
import { findProviderKeys } from './identity-provider.js';
import { parseGroupRoles, roleOfGroups, type GroupRoles } from './identity-roles.js';
import type { Principal } from './principal.js';

/** RFC 8725 section 3.1: only those that the service expects. Never `none`, never a shared secret. */
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
/** Types of access tokens; many providers send `JWT`, or none. RFC 9068 section 2.1, RFC 8725 section 3.11. */
const TYPES = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);
const SKEW_SECONDS = 60;
const MOST_BYTES = 16_384;

/** Control and format characters, which would change how a log or a page shows a name; and a name of spaces. */
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

  /** The principal of a token; undefined where it is not valid here. @throws ConsiliumError UNAVAILABLE while its provider cannot be asked */
  async principalOf(token: string): Promise<Principal | undefined> {
    const { oidcIssuer: issuer = '', oidcAudience: audience = '' } = this.config;
    if (token.length > MOST_BYTES || token.split('.').length !== 3) return undefined;
    this.keys ??= findProviderKeys(issuer);
    this.keys.catch(() => (this.keys = undefined));
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await this.keys, {
        ...{ issuer, audience, algorithms: ALGORITHMS },
        ...{ clockTolerance: SKEW_SECONDS, requiredClaims: ['sub', 'exp'] },
      });
      return TYPES.has(protectedHeader.typ?.toLowerCase()) ? this.read(payload) : undefined;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      return undefined;
    }
  }

  private read(payload: JWTPayload): Principal | undefined {
    const { oidcTenantClaim, oidcGroupsClaim } = this.config;
    const subject = claims.safeParse(payload);
    const groups = z.array(z.string()).safeParse(payload[oidcGroupsClaim]);
    const role = roleOfGroups(groups.success ? groups.data : [], this.roles);
    const tenant = oidcTenantClaim === undefined ? DEFAULT_TENANT : payload[oidcTenantClaim];
    if (!subject.success || role === undefined) return undefined;
    if (typeof tenant !== 'string' || !isTenant(tenant)) return undefined;
    return { tenant, name: subject.data.sub, role, expiresAt: (payload.exp ?? 0) * 1_000 };
  }
}
