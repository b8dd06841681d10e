import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { until } from '../../support/until.js';
import { startChromium } from '../chromium.js';
import { WIDE } from './console-scene.js';
import { LogServer } from './log-server.js';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

test('6: a page that was not loaded before the service went away is loaded when it is back', async () => {
  const server = await LogServer.start({ 'GET executions': { items: [], nextCursor: null } });
  const page = await browser.newPage({ viewport: WIDE });
  await page.goto(`${server.origin}/console/runs`);
  await page.getByRole('heading', { name: 'Nothing was diagnosed yet' }).waitFor();
  await page.context().setOffline(true);
  const away = page.getByText('Not connected. The service does not answer.');
  for (const key of ['o', 't']) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await away.waitFor();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  }
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Topologies' }).waitFor();
  await page.close();
  server.close();
});

test('6: a list is not read again before the time that a refusal asks to wait', async () => {
  const server = await LogServer.start();
  const page = await browser.newPage({ viewport: WIDE });
  await page.clock.install();
  let asked = 0;
  await page.route('**/executions?*', (route) => {
    asked++;
    return route.fulfill({
      status: 503,
      headers: { 'retry-after': '60', 'content-type': 'application/json' },
      body: '{}',
    });
  });
  await page.goto(`${server.origin}/console/runs`);
  await page.getByText('The service asks to wait 60 s').waitFor();
  await page.clock.runFor(50_000);
  expect(asked).toBe(1);
  await page.clock.runFor(15_000);
  await until('the list is read again', () => asked === 2);
  await page.close();
  server.close();
});
