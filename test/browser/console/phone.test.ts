import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { RECORDED } from '../../support/streams/logs.js';
import { startChromium } from '../chromium.js';
import { PHONE, WIDE } from './console-scene.js';
import { BEGUN, HEAD, LogServer, text, warning } from './log-server.js';

let browser: Browser;
let server: LogServer;
beforeAll(async () => {
  browser = await startChromium();
  server = await LogServer.start();
  server.load(RECORDED['root-cause'] ?? []);
});
afterAll(async () => {
  server?.close();
  await browser?.close();
});

async function open(url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: PHONE, reducedMotion: 'reduce' });
  await page.goto(url);
  return page;
}
const scrolled = (page: Page) => page.evaluate<number>("document.querySelector('main').scrollTop");

test('a claim leads to the top of its evidence, and Back to where the report was read', async () => {
  const page = await open(server.url());
  const chip = page.locator('.report .finding .evid').last();
  await chip.scrollIntoViewIfNeeded();
  const read = await scrolled(page);
  await chip.click();
  const event = page.locator('.event');
  await event.waitFor();
  const tabs = await page.locator('.mobiletabs').boundingBox();
  const top = (await event.boundingBox())?.y ?? 0;
  expect(top).toBeGreaterThan(tabs?.y ?? Infinity);
  expect(top).toBeLessThan(PHONE.height / 2);
  await page.goBack();
  await chip.waitFor();
  expect(Math.abs((await scrolled(page)) - read)).toBeLessThan(2);
  await page.context().close();
});

test('the graph keeps its edges while its part of the page is hidden', async () => {
  const page = await open(server.url());
  const edges = page.locator('.react-flow__edge');
  const part = (name: string) => page.getByRole('button', { name, exact: true }).click();
  await part('Graph');
  await edges.first().waitFor({ state: 'attached' });
  const all = await edges.count();
  // Sizes are observed at the end of a frame.
  const frames = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`;
  const shown = async (): Promise<number> => {
    await page.locator('.gnode').first().waitFor();
    await page.evaluate(frames);
    return edges.count();
  };
  await part('Report');
  await page.locator('.gnode').first().waitFor({ state: 'hidden' });
  await part('Graph');
  expect(await shown()).toBe(all);
  await part('Report');
  await page.setViewportSize(WIDE);
  expect(await shown()).toBe(all);
  await page.context().close();
});

test('Back leads from a line of the log to the log', async () => {
  const page = await open(server.url());
  await page.getByRole('button', { name: 'Log', exact: true }).click();
  await page.locator('.line').nth(3).click();
  await page.locator('.event').waitFor();
  await page.goBack();
  await page.locator('.line').first().waitFor();
  await page.context().close();
});

test('the field for a question is in view as soon as the oracle is asked', async () => {
  const page = await open(server.url());
  await page.locator('.cause').waitFor();
  await page.getByRole('button', { name: 'Ask', exact: true }).last().click();
  const field = page.getByLabel('Question to the oracle');
  await field.waitFor();
  const box = await field.boundingBox();
  expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(PHONE.height);
  await page.context().close();
});

test('notices and reasons with many words take the width of the page, and no more', async () => {
  const waits = await LogServer.start();
  const wait = { retryable: true, attempt: 1, retry_in_ms: 600_000, model: 'gpt' };
  waits.push(...BEGUN, text('Hm'), warning('RATE_LIMITED', 'Too many requests.', wait));
  const page = await open(waits.url());
  const words = page.getByText('“gpt” is busy: Head waits. Nothing is lost.');
  await words.waitFor();
  expect((await words.boundingBox())?.width).toBeGreaterThan(PHONE.width / 2);
  const reasons = ['TOOL_FAILED', 'BUDGET_EXCEEDED', 'NODES_UNCHECKED'];
  waits.push({
    name: 'lifecycle.completed',
    data: {
      summary: 'Healthy.',
      report: null,
      partial: true,
      reasons,
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    },
    agent: HEAD,
  });
  const pill = page.locator('.pill-partial');
  await pill.waitFor();
  const box = await pill.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(PHONE.width);
  await page.context().close();
  waits.close();
});
