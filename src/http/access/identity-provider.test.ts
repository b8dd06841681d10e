import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT, type CryptoKey, type JWK } from 'jose';
import { BEFORE_HEAD, endlessServer } from '../../../test/support/hostile/endless-server.js';
import { Loopback } from '../../../test/support/loopback.js';
import { findProviderKeys } from './identity-provider.js';

const loopback = new Loopback();
afterEach(() => void jest.useRealTimers());
afterAll(() => loopback.close());

type Answer = (response: ServerResponse, issuer: string) => void;

const json = (value: unknown) => (response: ServerResponse) =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
const discovery: Answer = (response, issuer) =>
  json({ issuer, jwks_uri: `${issuer}/keys` })(response);

/** @returns the issuer of a provider that answers so */
async function provider({ about = discovery, keys }: { about?: Answer; keys: Answer }) {
  let issuer = '';
  const listener: RequestListener = ({ url }, response) =>
    (url === '/keys' ? keys : about)(response, issuer);
  issuer = `http://127.0.0.1:${await loopback.open(createServer(listener))}`;
  return issuer;
}

async function keyNamed(kid: string): Promise<{ privateKey: CryptoKey; jwk: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' } };
}

const tokenOf = (kid: string, key: CryptoKey) =>
  new SignJWT({ sub: 'ann' }).setProtectedHeader({ alg: 'ES256', kid }).sign(key);

const ENDLESS: Answer = (response) => {
  const more = () => void (response.writable && response.write('a'.repeat(65_536), more));
  more();
};

const broken: [string, Answer][] = [
  ['answers 500', (response) => void response.writeHead(500).end('{}')],
  ['leads elsewhere', (response) => void response.writeHead(302, { location: '/keys' }).end()],
  ['sends no JSON', (response) => void response.end('<html>')],
  ['sends JSON of another shape', json({ keys: 'none' })],
  ['sends bytes without end', ENDLESS],
  ['hangs up', (response) => void response.destroy()],
  ['begins and says no more', (response) => void response.write('{')],
];

describe('a provider whose keys cannot be read says nothing about a token', () => {
  it.each(broken)('because it %s', async (_, answer) => {
    const { privateKey } = await keyNamed('one');
    const token = await tokenOf('one', privateKey);
    const keys = await findProviderKeys(await provider({ keys: answer }), 1_000);
    await expect(jwtVerify(token, keys)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it.each(broken)('because its description %s', async (_, about) => {
    const issuer = await provider({ about, keys: json({ keys: [] }) });
    await expect(findProviderKeys(issuer, 1_000)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('because it describes another issuer', async () => {
    const about = json({ issuer: 'https://evil.example', jwks_uri: 'https://evil.example/keys' });
    const issuer = await provider({ about, keys: json({ keys: [] }) });
    await expect(findProviderKeys(issuer)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('because it publishes its keys without TLS', async () => {
    const about: Answer = (response, issuer) =>
      json({ issuer, jwks_uri: 'http://login.example/keys' })(response);
    const issuer = await provider({ about, keys: json({ keys: [] }) });
    await expect(findProviderKeys(issuer)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it.each(BEFORE_HEAD)('because it sends endless %s before its answer', async (_, piece) => {
    const issuer = `http://127.0.0.1:${await loopback.open(endlessServer(piece))}`;
    await expect(findProviderKeys(issuer, 600_000)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('because there is none', async () => {
    await expect(findProviderKeys('http://127.0.0.1:1')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});

it('finds a key that the provider has published since, but asks for unknown ones every 30 s only', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask'] });
  const first = await keyNamed('one');
  const second = await keyNamed('two');
  const published = [first.jwk];
  let asked = 0;
  const issuer = await provider({
    keys: (response) => {
      asked++;
      json({ keys: published })(response);
    },
  });
  const keys = await findProviderKeys(issuer);
  const verify = async ({ privateKey, jwk }: typeof first) =>
    jwtVerify(await tokenOf(jwk.kid ?? '', privateKey), keys);
  await verify(first);
  published.splice(0, 1, second.jwk);
  for (let i = 0; i < 20; i++)
    await expect(verify(second)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  expect(asked).toBe(1);
  jest.setSystemTime(Date.now() + 31_000);
  await verify(second);
  await expect(verify(first)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  expect(asked).toBe(2);
});
