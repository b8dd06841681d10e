import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type JWTPayload,
} from 'jose';
import { Loopback } from '../../../test/support/loopback.js';
import { JwtVerifier } from './jwt-verifier.js';

const loopback = new Loopback();
let issuer: string;
let key: CryptoKey;
let stranger: CryptoKey;
let verifier: JwtVerifier;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  stranger = (await generateKeyPair('ES256')).privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' };
  const server = createServer((request, response) => {
    const answer = request.url?.endsWith('openid-configuration')
      ? { issuer, jwks_uri: `${issuer}/keys` }
      : { keys: [jwk] };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  issuer = `http://127.0.0.1:${await loopback.open(server)}`;
  verifier = new JwtVerifier({
    oidcIssuer: issuer,
    oidcAudience: 'consilium',
    oidcTenantClaim: 'org',
    oidcGroupsClaim: 'groups',
    groupRoles: 'sre=operator',
  });
});
afterAll(() => loopback.close());

interface Change {
  claims?: JWTPayload;
  signer?: CryptoKey;
  issuer?: string;
  audience?: string;
  expires?: string;
  keyId?: string;
  type?: string;
}

const token = ({ claims, signer = key, ...change }: Change = {}) =>
  new SignJWT({ sub: 'ann', org: 'shop', groups: ['sre'], ...claims })
    .setProtectedHeader({
      alg: 'ES256',
      kid: change.keyId ?? 'one',
      ...(change.type !== undefined && { typ: change.type }),
    })
    .setIssuer(change.issuer ?? issuer)
    .setAudience(change.audience ?? 'consilium')
    .setExpirationTime(change.expires ?? '1h')
    .sign(signer);

describe('AUTH=jwt', () => {
  it('takes tenant, principal and role from a valid token', async () => {
    const principal = await verifier.principalOf(await token());
    expect(principal).toMatchObject({ tenant: 'shop', name: 'ann', role: 'operator' });
    expect(principal?.expiresAt).toBeGreaterThan(Date.now());
  });

  it.each<[string, string, Change]>([
    [
      'another key',
      'its signature is not valid',
      {
        get signer() {
          return stranger;
        },
      },
    ],
    [
      'another issuer',
      'its claim iss is missing or not valid here',
      { issuer: 'https://elsewhere.example' },
    ],
    ['another audience', 'its claim aud is missing or not valid here', { audience: 'other' }],
    ['an expired token', 'it has expired', { expires: '-2m' }],
    ['no subject', 'its claim sub is no name', { claims: { sub: '' } }],
    ['a subject of spaces', 'its claim sub is no name', { claims: { sub: ' ' } }],
    ['a subject with a line break', 'its claim sub is no name', { claims: { sub: 'ann\nadmin' } }],
    [
      'a subject that turns the direction of text',
      'its claim sub is no name',
      { claims: { sub: 'ann\u202E' } },
    ],
    ['no tenant', 'its claim org is no tenant', { claims: { org: 1 } }],
    [
      'no known group',
      'no group in its claim groups has a role in GROUP_ROLES',
      { claims: { groups: ['dev'] } },
    ],
    [
      'groups of another shape',
      'no group in its claim groups has a role in GROUP_ROLES',
      { claims: { groups: 'sre' } },
    ],
    ['an ID token', 'it is an ID token, not an access token', { claims: { at_hash: 'a' } }],
    [
      'an ID token of a code flow',
      'it is an ID token, not an access token',
      { claims: { c_hash: 'a' } },
    ],
    ['another type', 'its type is not that of an access token', { type: 'logout+jwt' }],
    ['an unknown key', 'the provider has not published its key', { keyId: 'two' }],
  ])('refuses %s: %s', async (_, why, change) => {
    const refuse = jest.fn<(reason: string) => void>();
    expect(await verifier.principalOf(await token(change), refuse)).toBeUndefined();
    expect(refuse.mock.calls).toEqual([[why]]);
  });

  it('refuses a token without a signature, a changed one, and what is no token', async () => {
    const unsigned = new UnsecuredJWT({ sub: 'ann', org: 'shop', groups: ['sre'] })
      .setIssuer(issuer)
      .setAudience('consilium')
      .setExpirationTime('1h')
      .encode();
    const good = await token();
    const [head = '', , signature = ''] = good.split('.');
    const body = Buffer.from(JSON.stringify({ sub: 'root' })).toString('base64url');
    const changed = [head, body, signature].join('.');
    for (const wrong of [unsigned, changed, 'a.b.c', '', 'x', `${good}${'a'.repeat(20_000)}`])
      expect(await verifier.principalOf(wrong)).toBeUndefined();
  });

  it('fails, and does not refuse, while the provider cannot be reached', async () => {
    const away = new JwtVerifier({
      oidcIssuer: 'http://127.0.0.1:1',
      oidcAudience: 'consilium',
      oidcTenantClaim: undefined,
      oidcGroupsClaim: 'groups',
      groupRoles: 'sre=operator',
    });
    await expect(away.principalOf(await token())).rejects.toThrow();
  });
});
