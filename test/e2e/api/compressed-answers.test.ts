import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Scene } from '../../support/scene.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
let events: string;
beforeAll(async () => {
  const shop = await Scene.ofShop();
  ({ scene, api } = shop);
  const { runId } = await (await api.trigger(shop.topologyId)).end();
  events = `/executions/${runId}/events`;
});
afterAll(() => scene.close());

/** The answer as it is on the wire: `fetch` would decompress it. */
async function ask(path: string, headers: Record<string, string>) {
  const request = get(api.at(path), { headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) };
}
const json = { accept: 'application/json' };

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)('a page of events is compressed by %s if asked for', async (encoding, decompress) => {
  const plain = await ask(events, json);
  const packed = await ask(events, { ...json, 'accept-encoding': encoding });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(packed.headers).toMatchObject({
    'content-encoding': encoding,
    vary: expect.stringContaining('Accept-Encoding'),
  });
  expect(decompress(packed.body)).toEqual(plain.body);
  expect(packed.body.length).toBeLessThan(plain.body.length / 2);
});

test('an event stream is never compressed', async () => {
  const wanted = { accept: 'text/event-stream', 'accept-encoding': 'gzip, br' };
  const { headers, body } = await ask(events, wanted);
  expect(headers['content-encoding']).toBeUndefined();
  expect(body.toString()).toMatch(/\nevent: lifecycle\.completed\n/);
});

test('a compressed list is revalidated by its ETag', async () => {
  const wanted = { ...json, 'accept-encoding': 'gzip' };
  const { headers } = await ask('/tools', wanted);
  expect(headers['content-encoding']).toBe('gzip');
  const list = await ask('/executions', wanted);
  const again = await ask('/executions', { ...wanted, 'if-none-match': list.headers.etag ?? '' });
  expect([again.status, again.body.length]).toEqual([304, 0]);
});
