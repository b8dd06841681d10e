import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { until } from '../../support/until.js';
import { startChromium } from '../chromium.js';
import { isLive, openPage, WIDE } from './console-scene.js';
import { BEGUN, COMPLETED, LogServer, text } from './log-server.js';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

const open = (url: string): Promise<Page> => openPage(browser, url);
const notConnected = (page: Page) =>
  page.getByText('What you see stands; the run goes on').waitFor();

test('4: five cut connections lose and double no event, and each is said', async () => {
  const server = await LogServer.start();
  server.push(...BEGUN, text('one '));
  const page = await open(server.url('?view=log&mode=all'));
  for (let i = 0; i < 5; i++) {
    // The words of the page may be those of the connection before.
    await until('the page has connected again', () => server.opened === i + 1);
    await isLive(page);
    // Held back until the page has said it.
    server.refuse = 503;
    server.cut();
    server.push(text(`cut ${i} `));
    await notConnected(page);
    server.refuse = undefined;
  }
  await isLive(page);
  server.push(COMPLETED);
  await page.getByText('The end').waitFor();
  await page.getByLabel('Log, 9 lines').waitFor();
  expect(server.opened).toBe(6);
  await page.close();
  server.close();
});

test('4: a page without a network says that it is offline, and reads on when it is back', async () => {
  const server = await LogServer.start();
  server.push(...BEGUN);
  const page = await open(server.url());
  await isLive(page);
  await page.context().setOffline(true);
  server.cut();
  await page.getByRole('status').getByText('Offline', { exact: true }).waitFor();
  await page.getByText('What you see stands; the run goes on').waitFor();
  server.push(COMPLETED);
  await page.context().setOffline(false);
  await page.getByText('The end').waitFor();
  await page.close();
  server.close();
});

test('4: a stream in which nothing is heard is quiet at 17 s, and opened again at 20 s', async () => {
  const server = await LogServer.start();
  server.push(...BEGUN);
  const page = await browser.newPage({ viewport: WIDE });
  // The page's time stands still but for these steps: however slow the machine is, no state is
  // passed over.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 3_600_000);
  const passes = (what: string, ms: number, seen: () => boolean | Promise<boolean>) =>
    until(what, async () => {
      await page.clock.runFor(ms);
      return seen();
    });
  const shows = (words: string) => () => page.getByText(words, { exact: true }).isVisible();
  const says = (words: string) => () => page.getByText(words).isVisible();
  await page.goto(server.url());
  await passes('the page is live', 50, shows('Live'));
  server.silence();
  await passes('the page is quiet', 200, says('Quiet for 17 s'));
  expect(server.opened).toBe(1);
  server.push(text('sent while no client received'));
  await passes('the stream is given up', 200, says('No data was received for 20 s'));
  await passes('the stream is opened again', 200, () => server.opened === 2);
  await page.clock.resume();
  await isLive(page);
  await page.close();
  server.close();
});

/** As much as a busy run writes while no client is connected. */
const BACKLOG = 3_000;

test('4: after 20 s without a connection a page has every event that came meanwhile once', async () => {
  const server = await LogServer.start();
  server.push(...BEGUN, text('before '));
  const page = await browser.newPage({ viewport: WIDE });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 3_600_000);
  const goesOn = async (what: string, seen: () => boolean | Promise<boolean>) =>
    until(what, async () => {
      await page.clock.runFor(200);
      return seen();
    });
  await page.goto(server.url('?view=log&mode=all'));
  await goesOn('the page is live', () => page.getByText('Live', { exact: true }).isVisible());
  server.refuse = 503;
  server.cut();
  server.push(...Array.from({ length: BACKLOG }, (_, i) => text(`${i} `)));
  let passed = 0;
  await goesOn('20 s pass', () => (passed += 200) > 20_000);
  // It says so all the while, and what it does about it.
  await page.getByText('What you see stands; the run goes on').waitFor();
  await page.getByText(/^Attempt [3-9]/).waitFor();
  await page.getByLabel('Log, 3 lines').waitFor();
  server.refuse = undefined;
  await page.clock.resume();
  await isLive(page);
  await page.getByText('What you see stands').waitFor({ state: 'detached' });
  await page.getByLabel(`Log, ${BACKLOG + 3} lines`).waitFor();
  server.push(COMPLETED);
  await page.getByText('The end').waitFor();
  await page.getByLabel(`Log, ${BACKLOG + 4} lines`).waitFor();
  expect(server.opened).toBe(2);
  await page.close();
  server.close();
});

test('10: seven pages of one live run all reach its end', async () => {
  const server = await LogServer.start();
  server.push(...BEGUN);
  const context = await browser.newContext({ viewport: WIDE });
  const pages = await Promise.all(Array.from({ length: 7 }, () => context.newPage()));
  // Six connections go to one origin: a page that is not seen gives its own up.
  for (const page of pages) await page.goto(server.url(), { waitUntil: 'commit' });
  server.push(text('for all'), COMPLETED);
  for (const page of pages) {
    await page.bringToFront();
    await page.getByText('The end').waitFor();
  }
  await context.close();
  server.close();
});
