import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnsecuredJWT } from 'jose';
import { makeApiKey } from '../../src/http/access/api-key.js';
import { AttackScene, WAYS } from './attack-scene.js';

/** What needs a credential. */
const SECRETS = ['/api/service/v1/topologies', '/api/service/v1/executions', '/metrics', '/docs'];

describe.each(WAYS.filter((way) => way !== 'none'))('an outsider of AUTH=%s', (way) => {
  let scene: AttackScene;
  beforeAll(async () => void (scene = await AttackScene.open(way)));
  afterAll(() => scene.close());

  const credentials: [string, () => Record<string, string> | Promise<Record<string, string>>][] = [
    ['nothing', () => ({})],
    ['a made-up key', () => ({ 'x-api-key': makeApiKey().key })],
    ['an empty key', () => ({ 'x-api-key': '', authorization: 'Bearer ' })],
    ['a made-up session', () => ({ cookie: `__Host-consilium=${'A'.repeat(43)}` })],
    ['a session of another name', () => ({ cookie: `consilium=${'A'.repeat(43)}` })],
    ['the cookie of anonymous callers', () => ({ cookie: `consilium_caller=${'a'.repeat(32)}` })],
    ['basic authentication', () => ({ authorization: `Basic ${btoa('root:root')}` })],
    [
      'an unsigned token',
      () => {
        const claims = { sub: 'root', groups: ['root'], iss: scene.token.issuer, aud: 'consilium' };
        return { authorization: `Bearer ${new UnsecuredJWT(claims).encode()}` };
      },
    ],
    ['a token of a stranger', async () => bearer(await scene.token.sign({}, scene.token.stranger))],
    [
      'a token with a shared secret',
      async () =>
        bearer(
          await scene.token.sign({}, new TextEncoder().encode('a'.repeat(32)), { alg: 'HS256' }),
        ),
    ],
    ['a token that has expired', async () => bearer(await scene.token.sign({ exp: 1 }))],
    ['a token for another service', async () => bearer(await scene.token.sign({ aud: 'other' }))],
    ['a token of another issuer', async () => bearer(await scene.token.sign({ iss: 'http://e' }))],
    ['a token without a known group', async () => bearer(await scene.token.sign({ groups: [] }))],
  ];

  it.each(credentials)('is not let in with %s', async (_, make) => {
    const headers = await make();
    for (const path of SECRETS)
      expect([path, (await scene.ask(path, { headers })).status]).toEqual([path, 401]);
  });

  it.each([
    '//api/service/v1/topologies',
    '/api//service/v1/topologies',
    '/API/service/v1/topologies',
    '/api/service/v1/topologies/',
    '/api/service/v1/./topologies',
    '/health/../api/service/v1/topologies',
    '/health/..%2fapi/service/v1/topologies',
    '/health%2f..%2fapi/service/v1/topologies',
    '/health/live/../../api/service/v1/topologies',
    '/health;/api/service/v1/topologies',
    '/console/../api/service/v1/topologies',
    '/api/service/v1/topologies?ticket=a',
    '/api/service/v1/executions/1/events?ticket=a',
    '/api/service/v1/topologies%00',
    '/api/service/v1/topologies#/health',
  ])('gets nothing at %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PROPFIND']) {
      const { status, said } = await scene.ask(path, { method });
      // The files of the console are open.
      const isOpen = status === 204 || said.startsWith('<!doctype html>') || said === '';
      expect([path, method, status >= 400 || isOpen]).toEqual([path, method, true]);
      expect(said).not.toContain('"items"');
    }
  });

  it.each([
    ['x-http-method-override', 'GET'],
    ['x-original-url', '/health/live'],
    ['x-rewrite-url', '/health/live'],
    ['x-forwarded-for', '127.0.0.1'],
    ['forwarded', 'for=127.0.0.1'],
    ['x-forwarded-prefix', '/health'],
  ])('is not let in by the header %s', async (name, value) => {
    const [path = ''] = SECRETS;
    expect((await scene.ask(path, { headers: { [name]: value } })).status).toBe(401);
  });

  it.each([
    ['80,000 keys', `{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join()}}`],
    ['2 MB', JSON.stringify('a'.repeat(2_000_000))],
    ['no JSON', '{'],
  ])('has no body of %s read', async (_, body) => {
    const headers = { 'content-type': 'application/json' };
    const path = '/api/service/v1/topologies';
    const { status, said } = await scene.ask(path, { method: 'POST', headers, body });
    expect([status, said]).toEqual([401, expect.stringContaining('UNAUTHENTICATED')]);
    expect(await scene.isAlive()).toBe(true);
  });

  it('learns nothing of what exists from a refusal', async () => {
    const bodies = await Promise.all(
      ['/topologies/1', '/topologies/999999', '/executions/x', '/nothing'].map(
        async (path) => (await scene.ask(`/api/service/v1${path}`)).said,
      ),
    );
    expect(new Set(bodies).size).toBe(1);
  });
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it('several Authorization headers are refused, also if one of them is valid', async () => {
  const scene = await AttackScene.open('keys');
  try {
    const valid = `Authorization: ${scene.insider['authorization']}`;
    const other = `Authorization: Bearer ${makeApiKey().key}`;
    for (const headers of [
      [valid, other],
      [other, valid],
    ]) {
      const { host } = new URL(scene.api.url);
      const lines = [`GET ${SECRETS[0]} HTTP/1.1`, `Host: ${host}`, ...headers];
      const said = await scene.raw([...lines, 'Connection: close', '', ''].join('\r\n'));
      expect(said).toMatch(/^HTTP\/1\.1 400 /);
      expect(said).toContain('Authorization');
    }
  } finally {
    await scene.close();
  }
});

describe('headers of a proxy', () => {
  let scene: AttackScene;
  beforeAll(async () => void (scene = await AttackScene.open('keys')));
  afterAll(() => scene.close());

  it('are nothing where no proxy is trusted', async () => {
    const headers = { 'x-forwarded-user': 'root', 'x-forwarded-groups': 'root' };
    expect((await scene.ask('/api/service/v1/topologies', { headers })).status).toBe(401);
  });
});
