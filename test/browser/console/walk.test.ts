import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { RECORDED } from '../../support/streams/logs.js';
import { startChromium } from '../chromium.js';
import { WIDE } from './console-scene.js';
import { LogServer } from './log-server.js';

/**
 * A key of a practised typist, and a thought before it, in seconds: the keystroke-level model
 * (Card, Moran, Newell, 1980).
 */
const KEY = 0.28;
const THOUGHT = 1.35;
/** What a person takes to read the part of the page that a step shows, in seconds. */
const READING = 5;
const MOST_SECONDS = 60;

const COSTLY = 'The mail worker';

let browser: Browser;
let server: LogServer;
beforeAll(async () => {
  browser = await startChromium();
  server = await LogServer.start();
  // The recorded run used no model: one agent is given a price.
  server.load(
    (RECORDED['root-cause'] ?? []).map((frame) =>
      frame.includes(`"agent_name":"${COSTLY}"`)
        ? frame.replaceAll('"total_tokens":0', '"total_tokens":4100,"cost":0.021')
        : frame,
    ),
  );
});
afterAll(async () => {
  server?.close();
  await browser?.close();
});

/** A walk by keyboard alone, and the seconds that a person takes for it. */
class Walk {
  seconds = 0;

  constructor(readonly page: Page) {}

  async press(key: string): Promise<void> {
    this.seconds += THOUGHT + KEY;
    await this.page.keyboard.press(key);
  }

  async read(what: Locator): Promise<void> {
    this.seconds += READING;
    await what.first().waitFor();
  }
}

test('11: root cause, its evidence and the costliest agent are found by keyboard in under a minute', async () => {
  const page = await browser.newPage({ viewport: WIDE });
  const walk = new Walk(page);
  await page.goto(server.url());
  await walk.read(page.locator('.cause', { hasText: 'connection refused' }));
  await walk.press('?');
  await walk.read(page.getByText('the costliest agent'));
  await walk.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await walk.press(']');
  await walk.read(page.locator('.event', { hasText: 'connection refused (ECONNREFUSED)' }));
  const evidence = Number(new URL(page.url()).hash.slice(1));
  expect(page.url()).toContain(`#${evidence}`);
  await walk.press('c');
  await page.waitForURL((url) => url.hash !== `#${evidence}`);
  await walk.read(page.locator('.wrow.is-hot', { hasText: COSTLY }));
  await walk.press('Escape');
  await walk.read(page.locator('.cause', { hasText: '89 %' }));
  expect(new URL(page.url()).hash).toBe('');
  expect(walk.seconds).toBeLessThan(MOST_SECONDS);
  await page.close();
});

test('C shows the agent whose calls took the longest if none has used a model', async () => {
  const recorded = await LogServer.start();
  recorded.load(RECORDED['root-cause'] ?? []);
  const page = await browser.newPage({ viewport: WIDE });
  await page.goto(recorded.url());
  await page.locator('.cause').waitFor();
  await page.keyboard.press('c');
  const name = await page.locator('.wrow.is-hot b').textContent();
  const took = await page.locator('.wrow.is-hot .wmeta span').textContent();
  const said = page.getByText(`No agent has used a model. Longest at work: ${name}, `);
  await said.waitFor();
  expect(await said.textContent()).toMatch(new RegExp(` of its ${took}$`));
  const box = await said.boundingBox();
  const row = await page.locator('.wbody').boundingBox();
  expect(box?.x).toBeGreaterThan((row?.x ?? 0) + (row?.width ?? 0));
  await page.close();
  recorded.close();
});
