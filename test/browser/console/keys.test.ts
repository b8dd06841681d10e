import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.js';
import { WIDE } from './console-scene.js';
import { BEGUN, COMPLETED, HEAD, LogServer, text } from './log-server.js';

const usage = {
  name: 'llm.usage',
  data: {
    dispatch_id: null,
    turn: 1,
    attempt: 1,
    model: 'm',
    input_tokens: 2_000,
    output_tokens: 960,
    total_tokens: 2_960,
    context_tokens: 2_000,
    max_context_tokens: 8_000,
    finish_reason: 'stop',
  },
  agent: HEAD,
};

let browser: Browser;
let server: LogServer;
let page: Page;
beforeAll(async () => {
  browser = await startChromium();
  server = await LogServer.start();
  const words = Array.from({ length: 20 }, (_, i) => text(`${i} `));
  server.push(...BEGUN, ...words, usage, COMPLETED);
  page = await browser.newPage({ viewport: WIDE });
  await page.goto(server.url());
  await page.getByText('The end').waitFor();
});
afterAll(async () => {
  server?.close();
  await browser?.close();
});

const at = (seq: number) => page.getByText(`As it was at #${seq}`, { exact: true }).waitFor();

test('arrows move one event, with Shift ten, also on the strip', async () => {
  const strip = page.getByRole('slider', { name: 'Event that is looked at' });
  for (const place of [page.locator('body'), strip]) {
    await place.focus();
    await page.keyboard.press('Home');
    await at(1);
    await page.keyboard.press('Shift+ArrowRight');
    await at(11);
    await page.keyboard.press('ArrowLeft');
    await at(10);
    await page.keyboard.press('Shift+ArrowLeft');
    await at(1);
  }
  await page.keyboard.press('End');
  await page.getByText('The end').waitFor();
});

test('C leads to what the costliest agent has used; a cost that is not known is said so', async () => {
  await page.keyboard.press('c');
  await page.waitForURL((url) => url.hash === '#23');
  const event = page.getByRole('article', { name: 'Event 23' });
  await event.getByText('Head until then: cost not known, 2,960 tokens').waitFor();
  const cost = page.locator('.fact', { hasText: 'Cost' });
  expect(await cost.locator('dd').innerText()).toBe('–');
});

test('a print has its date, the id of the run and its address', async () => {
  await page.emulateMedia({ media: 'print' });
  const place = page.locator('.only-print');
  await place.getByText(server.runId).first().waitFor();
  expect(await place.innerText()).toContain(server.url());
  expect(await place.innerText()).toMatch(/\d{1,2} \w+ \d{4}, \d\d:\d\d:\d\d/);
});

test('an address with an event after the last one of an ended run is that of its end', async () => {
  await page.emulateMedia({ media: 'screen' });
  await page.goto(`${server.url()}?at=99999`);
  await page.getByText('The end').waitFor();
  await page.waitForURL((url) => !url.searchParams.has('at'));
  expect(await page.getByText('As it was at').count()).toBe(0);
});

test('an address with an event that is no number shows the run as it is', async () => {
  await page.emulateMedia({ media: 'screen' });
  await page.goto(`${server.url()}?at=abc`);
  await page.getByText('The end').waitFor();
  expect(await page.getByText('NaN').count()).toBe(0);
  expect(await page.getByText('As it was at').count()).toBe(0);
});
