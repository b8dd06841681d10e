import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { NamedEvent } from '../../src/client/index.js';
import type { Api } from '../support/api.js';
import { expectValid } from '../support/streams/event-stream.js';
import { Scene } from '../support/scene.js';
import { healthy, held, httpTarget } from '../support/processes/target.js';
import { TcpProxy } from '../support/processes/tcp-proxy.js';
import { topologyOf } from '../support/incidents/topology.js';
import { startChromium } from './chromium.js';
import { startFront } from './front.js';
import { errorsOn } from './page-errors.js';
import { keepScreenshot } from './screenshot.js';

let browser: Browser;
let scene: Scene;
let api: Api;
let front: { url: string; close(): Promise<void> };
let proxy: TcpProxy;
beforeAll(async () => {
  browser = await startChromium();
  scene = new Scene();
  api = await scene.service({ ALLOWED_HOSTS: '127.0.0.1' });
  front = await startFront(api.url);
  proxy = await TcpProxy.to(front.url);
});
afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  await front?.close();
  await scene?.close();
});

test('consilium-client in a page starts a run and reads all of it over cut connections', async () => {
  const behaviour = held(healthy);
  const id = await api.store(topologyOf({ web: await httpTarget(scene.targets, behaviour) }));
  const page = await browser.newPage();
  const errors = errorsOn(page);
  await page.goto(`${proxy.url.replace('redis:', 'http:')}/client.html?topology=${id}`);
  await page.waitForFunction('window.seen?.length > 3');
  const accepted = proxy.accepted;
  proxy.reset();
  behaviour.release();
  await page.locator('output', { hasText: /^completed/ }).waitFor();
  await keepScreenshot(page, 'client');
  const seen = await page.evaluate<NamedEvent[]>('window.seen');
  const logged = expectValid(await api.log(await page.evaluate<string>('window.runId')));
  expect(seen.map(({ sequence, name, data }) => [sequence, name, data])).toEqual(
    logged.map(({ sequence, key, data }) => [sequence, key, data]),
  );
  expect(proxy.accepted).toBeGreaterThan(accepted);
  expect(errors).toEqual([]);
  await page.close();
});
