import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AttackScene, type Sent } from './attack-scene.js';

const PATH = '/api/service/v1/topologies';
const PROXY = '127.0.0.2';
const ROOT = { 'x-forwarded-user': 'root', 'x-forwarded-groups': 'root' };
const GUEST = { 'x-forwarded-user': 'guest', 'x-forwarded-groups': 'guests' };

/** The service believes a proxy at 127.0.0.2; the attacker is at 127.0.0.1, or behind the proxy. */
let scene: AttackScene;
beforeAll(async () => {
  const trusted = { TRUSTED_PROXIES: PROXY, GROUP_ROLES: 'root=admin, guests=viewer' };
  scene = await AttackScene.open('proxy', trusted);
});
afterAll(() => scene.close());

const status = async (sent: Sent) => (await scene.ask(PATH, sent)).status;

it('lets the users of the proxy in', async () => {
  expect(await status({ from: PROXY, headers: ROOT })).toBe(200);
});

describe('a caller that does not come through the proxy', () => {
  it.each<[string, Record<string, string>]>([
    ['the headers of the proxy', {}],
    ['the address of the proxy in X-Forwarded-For', { 'x-forwarded-for': PROXY }],
    ['two of them', { 'x-forwarded-for': `${PROXY}, 127.0.0.1` }],
    ['X-Real-IP', { 'x-real-ip': PROXY }],
    ['X-Client-IP', { 'x-client-ip': PROXY, 'true-client-ip': PROXY, 'cf-connecting-ip': PROXY }],
    ['Forwarded', { forwarded: `for=${PROXY};by=${PROXY};host=localhost` }],
    ['Via', { via: `1.1 ${PROXY}` }],
  ])('is not let in with %s', async (_, headers) => {
    expect(await status({ headers: { ...ROOT, ...headers } })).toBe(401);
  });
});

describe('a user of the proxy', () => {
  it.each<[string, Record<string, string | string[]>]>([
    ['a second user', { ...ROOT, 'x-forwarded-user': ['guest', 'root'] }],
    ['a second list of groups', { ...GUEST, 'x-forwarded-groups': ['root', 'guests'] }],
    ['no group', { 'x-forwarded-user': 'root' }],
    ['an empty name', { ...ROOT, 'x-forwarded-user': '' }],
    ['a name of 1,000 characters', { ...ROOT, 'x-forwarded-user': 'a'.repeat(1_000) }],
    ['a group that is almost one', { ...ROOT, 'x-forwarded-groups': 'Root, root2, ro ot' }],
    ['names with underscores', { X_Forwarded_User: 'root', X_Forwarded_Groups: 'root' }],
    ['a credential beside them that is not valid', { ...ROOT, authorization: 'Bearer x' }],
  ])('is not let in with %s', async (_, headers) => {
    expect(await status({ from: PROXY, headers })).toBe(401);
  });

  it('is refused with more headers than are read, whichever of them would be dropped', async () => {
    const many = Array.from({ length: 120 }, (_, i): [string, string] => [`x-filler-${i}`, 'a']);
    const headers = { ...Object.fromEntries<string>(many), ...ROOT };
    expect(await status({ from: PROXY, headers })).toBe(431);
  });

  it('has the role of its groups only', async () => {
    const headers = { ...GUEST, 'content-type': 'application/json' };
    const sent = { from: PROXY, method: 'POST', headers, body: '{}' };
    expect(await status(sent)).toBe(403);
    const shown = await scene.ask('/auth/session', { from: PROXY, headers: GUEST });
    expect(shown.said).toContain('"role":"viewer"');
  });
});

it('does not believe headers that its own MCP endpoint could forward', async () => {
  const call = (headers: Record<string, string>, from?: string) =>
    scene.ask('/mcp', {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_topologies', arguments: {} },
      }),
      ...(from !== undefined && { from }),
    });
  expect((await call(ROOT)).status).toBe(401);
  const proxied = { ...GUEST, cookie: '_oauth2_proxy=abc' };
  const served = await call(proxied, PROXY);
  expect([served.status, served.said]).toEqual([200, expect.stringContaining('topologies')]);
  expect(served.said).not.toContain('UNAUTHENTICATED');
  expect(served.headers['set-cookie']).toBeUndefined();
});
