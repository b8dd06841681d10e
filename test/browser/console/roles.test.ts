import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { startChromium } from '../chromium.js';
import { WIDE } from './console-scene.js';
import { BEGUN, LogServer } from './log-server.js';

let browser: Browser;
let server: LogServer;
beforeAll(async () => {
  browser = await startChromium();
  const topology = { id: 1, name: 'Shop', version: 1, nodeCount: 1, teamCount: 1, agentCount: 1 };
  server = await LogServer.start({ 'GET topologies': { items: [topology] } });
  server.push(...BEGUN);
});
afterAll(async () => {
  server?.close();
  await browser?.close();
});

test.each([
  ['viewer', true],
  ['admin', false],
])('what a %s may not do is not offered: %s', async (role, closed) => {
  const page = await browser.newPage({ viewport: WIDE });
  await page.route('**/auth/session', (route) =>
    route.fulfill({ json: { tenant: 'default', principal: 'ann', role } }),
  );
  const signedIn = page.getByRole('button', { name: `Sign out ann of default, ${role}` });
  const open = async (path: string): Promise<void> => {
    await page.goto(`${server.origin}/console/${path}`);
    await signedIn.waitFor();
  };
  const isClosed = async (button: Locator): Promise<void> => {
    await button.waitFor();
    expect(await button.isDisabled()).toBe(closed);
  };
  await open('diagnose?topology=1');
  await page.getByLabel('What is wrong').fill('It is slow.');
  await isClosed(page.getByRole('button', { name: 'Diagnose', exact: true }));
  const reason = page.getByText(`This needs the role trigger; you have ${role}.`);
  expect(await reason.count()).toBe(closed ? 1 : 0);
  // What leads there is closed, too.
  const lead = (name: RegExp): Locator =>
    page.getByRole('main').getByRole(closed ? 'button' : 'link', { name });
  const isLead = async (name: RegExp, action: string): Promise<void> => {
    await lead(name).first().waitFor();
    if (closed) expect(await lead(name).first().getAttribute('title')).toContain(action);
  };
  await open('runs');
  await isLead(/^Diagnose$/, 'This needs the role trigger');
  await open('topologies');
  await isLead(/^Diagnose Shop$/, 'This needs the role trigger');
  await isLead(/^New$/, 'This needs the role admin');
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: /Shop/ }).first().waitFor();
  expect(await page.getByRole('option', { name: 'Diagnose Shop' }).count()).toBe(closed ? 0 : 1);
  await open('topologies/new');
  await isClosed(page.getByRole('button', { name: 'Save' }));
  await open(`runs/${server.runId}`);
  await isClosed(page.getByRole('button', { name: 'Cancel' }));
  await page.close();
});
