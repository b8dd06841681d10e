import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../src/http/access/opaque-token.js';
import { sessionKey } from '../../src/redis/keys.js';
import { AttackScene, WAYS } from './attack-scene.js';

const BASE = '/api/service/v1';
const SESSION = '/auth/session';
const JSON_TYPE = { 'content-type': 'application/json' };

describe.each(WAYS.filter((way) => way !== 'none'))('a session of AUTH=%s', (way) => {
  let scene: AttackScene;
  beforeAll(async () => void (scene = await AttackScene.open(way)));
  afterAll(() => scene.close());

  /** @returns the cookie of a new session, as a browser sends it, and as the service set it */
  async function signIn(headers: Record<string, string> = scene.insider) {
    const { status, headers: set } = await scene.ask(SESSION, { method: 'POST', headers });
    expect(status).toBe(200);
    const [whole = ''] = set['set-cookie'] ?? [];
    return { cookie: whole.split(';')[0] ?? '', whole };
  }
  const list = async (cookie: string) =>
    (await scene.ask(`${BASE}/executions`, { headers: { cookie } })).status;
  const signOut = (cookie: string) => scene.ask(SESSION, { method: 'DELETE', headers: { cookie } });

  it('has a cookie that only this host gets back, over TLS, from its own pages, unseen by scripts', async () => {
    const { whole } = await signIn();
    expect(whole).toMatch(/^__Host-consilium=[\w-]{43}; /);
    for (const flag of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict'])
      expect(whole.split('; ')).toContain(flag);
    expect(whole).not.toMatch(/domain/i);
  });

  it('lasts no longer than what let its owner in, and an hour if nothing says how long that is', async () => {
    const { whole } = await signIn();
    const seconds = Number(/Max-Age=(\d+)/.exec(whole)?.[1]);
    expect(seconds).toBeLessThanOrEqual(way === 'keys' ? 8 * 3_600 : 3_600);
    expect(seconds).toBeGreaterThan(3_500);
  });

  it('is not one that the attacker chose before', async () => {
    const chosen = `__Host-consilium=${'A'.repeat(43)}`;
    expect(await list(chosen)).toBe(401);
    // A credential in a header comes first, and the cookie is passed over; with a proxy the bad
    // cookie is refused.
    const headers = { ...scene.insider, cookie: chosen };
    const { status, headers: set } = await scene.ask(SESSION, { method: 'POST', headers });
    expect(status).toBe(way === 'proxy' ? 401 : 200);
    expect(set['set-cookie']?.[0] ?? '').not.toContain('AAAA');
    expect(await list(chosen)).toBe(401);
  });

  it('is not used by a page of another site', async () => {
    const { cookie } = await signIn();
    for (const foreign of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      for (const [method, path] of [
        ['POST', `${BASE}/executions/cancel`],
        ['POST', `${BASE}/topologies`],
        ['POST', `${BASE}/stream-tickets`],
        ['POST', '/mcp'],
        ['DELETE', SESSION],
        ['DELETE', '/api/oracle/history'],
      ] as const) {
        const headers = { cookie, ...JSON_TYPE, ...foreign };
        const { status, said } = await scene.ask(path, { method, headers, body: '{}' });
        expect([path, status, said]).toEqual([
          path,
          403,
          expect.stringContaining('FORBIDDEN_ORIGIN'),
        ]);
      }
    expect(await list(cookie)).toBe(200);
  });

  it('ends when its owner signs out, with the tickets that it bought', async () => {
    const { log } = await scene.diagnose({ shop: { endpoint: '127.0.0.1:1', kind: 'tcp' } });
    const runId = /"run_id":"([^"]+)"/.exec(log)?.[1] ?? '';
    const { cookie } = await signIn();
    const headers = { cookie, ...JSON_TYPE };
    const bought = await scene.ask(`${BASE}/stream-tickets`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ runId }),
    });
    const { ticket } = (JSON.parse(bought.said) as { data: { ticket: string } }).data;
    const follow = async () =>
      (await scene.ask(`${BASE}/executions/${runId}/events?ticket=${ticket}`)).status;
    expect(await follow()).toBe(200);
    expect((await signOut(cookie)).status).toBe(200);
    expect([await list(cookie), await follow()]).toEqual([401, 401]);
    expect((await signOut(cookie)).status).toBe(401);
  });

  it('is not prolonged by itself, and its cookie is not in the store', async () => {
    const { cookie } = await signIn();
    const token = cookie.split('=')[1] ?? '';
    const { redis, prefix } = scene.scene.redis;
    expect((await redis.keys(`*${prefix}*`)).join()).not.toContain(token);
    const key = sessionKey(prefix, digestOf(token));
    const record = JSON.parse((await redis.get(key)) ?? '') as object;
    // Most of its time has passed.
    const text = JSON.stringify({ ...record, expiresAt: Date.now() + 60_000 });
    await redis.set(key, text, 'EX', 60);
    const next = await signIn({ cookie });
    expect(Number(/Max-Age=(\d+)/.exec(next.whole)?.[1])).toBeLessThanOrEqual(60);
    expect(next.cookie).not.toBe(cookie);
  });
});
