import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, exportSPKI, generateKeyPair } from 'jose';
import { until } from '../support/until.js';
import { AttackScene } from './attack-scene.js';

let scene: AttackScene;
beforeAll(async () => void (scene = await AttackScene.open('jwt')));
afterAll(() => scene.close());

const PATH = '/api/service/v1/topologies';
const ask = (token: string) => scene.ask(PATH, { headers: { authorization: `Bearer ${token}` } });
const now = () => Math.floor(Date.now() / 1_000);
const bytes = (text: string) => new TextEncoder().encode(text);
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The claims and the signature of a good token, with another header. */
async function withHeader(header: object): Promise<string> {
  const [, claims = '', signature = ''] = (await scene.token.sign()).split('.');
  return [part(header), claims, signature].join('.');
}

it('lets a good token in', async () => {
  expect((await ask(await scene.token.sign())).status).toBe(200);
});

it.each(['at+jwt', 'application/at+jwt', 'AT+JWT', 'JWT'])(
  'lets a token of type %s in',
  async (typ) => {
    const token = await scene.token.sign({}, undefined, { typ });
    expect((await ask(token)).status).toBe(200);
  },
);

it('that is refused is an entry of the audit log with the reason, which its client does not get', async () => {
  const refused = await ask(await scene.token.sign({ aud: 'other' }));
  expect([refused.status, refused.said]).toEqual([401, expect.not.stringContaining('aud')]);
  const headers = { authorization: `Bearer ${await scene.token.sign()}` };
  await until('it is recorded', async () => {
    const { said } = await scene.ask('/api/service/v1/audit', { headers });
    return said.includes('"reason":"its claim aud is missing or not valid here"');
  });
});

const forged: [string, () => Promise<string>][] = [
  ['no algorithm', () => withHeader({ alg: 'none' })],
  ['no algorithm, written otherwise', () => withHeader({ alg: 'nOnE' })],
  ['an empty algorithm', () => withHeader({ alg: '' })],
  ['an algorithm that is no text', () => withHeader({ alg: ['ES256'] })],
  ['another algorithm', () => withHeader({ alg: 'ES512', kid: 'one' })],
  [
    'HS256 and the public key as the secret',
    async () => {
      const pem = await exportSPKI(scene.token.publicKey);
      return scene.token.sign({}, bytes(pem), { alg: 'HS256' });
    },
  ],
  [
    'HS256 and the published JWK as the secret',
    async () => {
      const jwk = JSON.stringify(await exportJWK(scene.token.publicKey));
      return scene.token.sign({}, bytes(jwk), { alg: 'HS256' });
    },
  ],
  [
    'a key of its own in the header',
    async () => {
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      return scene.token.sign({}, privateKey, { jwk: await exportJWK(publicKey) });
    },
  ],
  ...['../../../../dev/null', "' OR 1=1 --", '', 'two', '__proto__'].map(
    (kid): [string, () => Promise<string>] => [
      `the key id ${JSON.stringify(kid)}`,
      () => scene.token.sign({}, scene.token.stranger, { kid }),
    ],
  ),
  ...['logout+jwt', 'secevent+jwt', 'dpop+jwt', 'at+jwt2', ''].map(
    (typ): [string, () => Promise<string>] => [
      `the type ${JSON.stringify(typ)}`,
      () => scene.token.sign({}, undefined, { typ }),
    ],
  ),
  ['a key id that is no text', () => withHeader({ alg: 'ES256', kid: { a: 1 } })],
  [
    'an extension that must be understood',
    () => withHeader({ alg: 'ES256', kid: 'one', crit: ['x'], x: 1 }),
  ],
  ['a header that is no JSON', async () => (await scene.token.sign()).replace(/^[^.]+/, 'AAAA')],
  [
    'a signature of zeros',
    async () => (await scene.token.sign()).replace(/[^.]+$/, 'A'.repeat(86)),
  ],
  ['no signature', async () => (await scene.token.sign()).replace(/[^.]+$/, '')],
  [
    'claims that were changed',
    async () => {
      const [head = '', , signature = ''] = (await scene.token.sign()).split('.');
      return [head, part({ sub: 'root', groups: ['root'] }), signature].join('.');
    },
  ],
];

const claimed: [string, object][] = [
  ['expired two minutes ago', { exp: now() - 120 }],
  ['is not valid before tomorrow', { nbf: now() + 86_400 }],
  ['is for several other services', { aud: ['other', 'consilium.example'] }],
  ['is of an issuer with the same beginning', { iss: 'http://127.0.0.1' }],
  ['has no subject', { sub: '' }],
  ['has a subject of 10,000 characters', { sub: 'a'.repeat(10_000) }],
  ['has its groups as one text', { groups: 'root' }],
  ['has groups within groups', { groups: [['root']] }],
  ['has a group that only begins like one', { groups: ['root '] }],
];

describe('a token', () => {
  it.each(forged)('with %s is refused', async (_, make) => {
    const { status, said } = await ask(await make());
    expect([status, said]).toEqual([401, expect.stringContaining('UNAUTHENTICATED')]);
  });

  it.each(claimed)('that %s is refused', async (_, claims) => {
    expect((await ask(await scene.token.sign({ ...claims }))).status).toBe(401);
  });

  it('of more than 16 kB is not parsed', async () => {
    const { status } = await ask(await scene.token.sign({ filler: 'a'.repeat(20_000) }));
    // Node.js refuses such a header itself.
    expect(status).toBe(431);
  });

  it('does not make the service ask an address that it names', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked++;
      response.end('{"keys":[]}');
    });
    const url = `http://127.0.0.1:${await scene.scene.targets.open(server)}/`;
    const { stranger } = scene.token;
    const named = { jku: url, x5u: url, kid: url };
    expect((await ask(await scene.token.sign({}, stranger, named))).status).toBe(401);
    expect((await ask(await scene.token.sign({ iss: url.slice(0, -1) }, stranger))).status).toBe(
      401,
    );
    expect(asked).toBe(0);
  });

  it('is not taken from the query, a cookie or another header', async () => {
    const token = await scene.token.sign();
    for (const [path, headers] of [
      [`${PATH}?access_token=${token}`, {}],
      [PATH, { cookie: `access_token=${token}; __Host-consilium=${token}` }],
      [PATH, { 'x-forwarded-access-token': token }],
    ] as const)
      expect((await scene.ask(path, { headers })).status).toBe(401);
  });
});

it('of a provider that does not answer, no token is refused or let in', async () => {
  const away = await AttackScene.open('jwt', { OIDC_ISSUER: 'http://127.0.0.1:1' });
  try {
    const { headers, status, said } = await away.ask(PATH, { headers: away.insider });
    expect([status, said]).toEqual([503, expect.stringContaining('UNAVAILABLE')]);
    expect(headers['retry-after']).toBe('5');
    expect(said).not.toContain('127.0.0.1');
  } finally {
    await away.close();
  }
});
