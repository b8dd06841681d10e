import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Loopback } from '../../support/loopback.js';
import { redisProxy, type RedisProxy } from '../../support/processes/redis-proxy.js';
import { testRedis, type TestRedis } from '../../support/redis.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { keepScreenshot } from '../screenshot.js';
import { ConsoleScene, violationsOn } from './console-scene.js';

const loopback = new Loopback();
const behaviour = held(healthy);
let store: TestRedis;
let redis: RedisProxy;
let scene: ConsoleScene;
beforeAll(async () => {
  store = testRedis();
  redis = await redisProxy(loopback, store.url);
  scene = await ConsoleScene.open({ REDIS_URL: redis.url });
  const web = await httpTarget(scene.scene.targets, behaviour);
  await scene.api.accept(await scene.api.store(topologyOf({ web })));
});
afterAll(async () => {
  behaviour.release();
  await scene?.close();
  await store?.close();
  await loopback.close();
});

/** Where a green mark says that something is well. */
const ok = (page: Page) => page.locator('main .g-ok, main .g-healthy, main .pill-healthy');
const seen = (page: Page) => page.getByText(/^seen /);

async function openOperations(): Promise<Page> {
  const { page } = await scene.page('/operations');
  await page.getByRole('region', { name: 'Store' }).getByText('up', { exact: true }).waitFor();
  await page.getByText('ready', { exact: true }).waitFor();
  await page.getByText('0 calls').first().waitFor();
  expect(await ok(page).count()).toBeGreaterThan(1);
  expect(await seen(page).count()).toBe(0);
  return page;
}

async function openRuns(): Promise<Page> {
  const { page } = await scene.page('/runs');
  await page.getByText('1 at work', { exact: true }).waitFor();
  return page;
}

/** What runs is not known: no clock of the list goes on, and nothing in it moves. */
async function expectStandingList(page: Page): Promise<void> {
  await page.getByText(/What you see is of \d\d:\d\d:\d\d/).waitFor();
  await page.getByText('1 at work when last seen').waitFor();
  expect(await page.locator('.pill-live').count()).toBe(0);
  const rows = await page.getByRole('table', { name: 'Runs' }).innerText();
  await page.waitForTimeout(1_500);
  expect(await page.getByRole('table', { name: 'Runs' }).innerText()).toBe(rows);
  const moving =
    'document.querySelector("main").getAnimations({ subtree: true }).map(({ effect }) => effect.target.outerHTML)';
  expect(await page.evaluate<string[]>(moving)).toEqual([]);
}

test('6: while Redis is away, pages say that it is, and of when their figures are', async () => {
  const [runs, operations] = [await openRuns(), await openOperations()];
  redis.cut();
  await operations.getByText('not ready', { exact: true }).waitFor();
  await operations
    .getByRole('alert')
    .getByText(/Redis does not reply .* are of/)
    .waitFor();
  await operations
    .getByRole('region', { name: 'Store' })
    .getByText('down', { exact: true })
    .waitFor();
  // Open runs, agents at work, queues, processes and models; not those of the process that answers.
  await expect(seen(operations).count()).resolves.toBe(5);
  expect(await ok(operations).count()).toBe(0);
  await keepScreenshot(operations, 'console-redis-away');
  for (const theme of ['dark', 'light']) {
    const shown = await operations.locator('html').getAttribute('data-theme');
    if (shown !== theme) await operations.keyboard.press('t');
    await operations.locator(`html[data-theme="${theme}"]`).waitFor();
    expect([theme, await violationsOn(operations)]).toEqual([theme, []]);
  }
  await expectStandingList(runs);
  redis.mend();
  await operations.getByText('ready', { exact: true }).waitFor();
  await runs.getByText('1 at work', { exact: true }).waitFor();
  await runs.getByRole('alert').waitFor({ state: 'detached' });
  await seen(operations).first().waitFor({ state: 'detached' });
  await Promise.all([runs, operations].map((page) => page.context().close()));
});

test('6: while the service is away, nothing is marked as well', async () => {
  const [runs, operations] = [await openRuns(), await openOperations()];
  behaviour.release();
  await scene.scene.stop(scene.api);
  await operations.getByText('does not answer', { exact: true }).waitFor();
  const alert = await operations.getByRole('alert').innerText();
  expect(alert.match(/The service does not answer/g)).toHaveLength(1);
  await operations.getByRole('region', { name: 'Store' }).getByText('not known').waitFor();
  // All five figures, and three tables.
  await seen(operations).nth(7).waitFor();
  expect(await ok(operations).count()).toBe(0);
  await keepScreenshot(operations, 'console-service-away');
  await expectStandingList(runs);
  await Promise.all([runs, operations].map((page) => page.context().close()));
});
