import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { framesOf } from '../../support/streams/encode.js';
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

const DEMO = join(import.meta.dirname, '../../fixtures/console/bookshop.log');
const COSTLY = 'The mail worker';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

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

interface Recorded {
  frames: readonly string[];
  cause: string;
  sure: string;
  agent: string;
  /** What the page says of the agent. */
  said: RegExp;
}

const RUNS: Record<string, Recorded> = {
  // The recorded incident that the demo diagnoses: no model, so nothing that costs money.
  'the run of the demo': {
    frames: framesOf(readFileSync(DEMO, 'utf8')),
    cause: 'connection pool exhausted',
    sure: '87 %',
    agent: 'Global supervisor',
    said: /^No agent has used a model\. Longest at work: Global supervisor, \d+ ms of its \d+ ms$/,
  },
  // As if a model of a known price had worked for one agent.
  'a run with a price': {
    frames: (RECORDED['root-cause'] ?? []).map((frame) =>
      frame.includes(`"agent_name":"${COSTLY}"`)
        ? frame.replaceAll('"total_tokens":0', '"total_tokens":4100,"cost":0.021')
        : frame,
    ),
    cause: 'connection refused',
    sure: '89 %',
    agent: COSTLY,
    said: /^Costliest agent: The mail worker, 0\.\d+, [\d,]+ tokens$/,
  },
};

test.each(Object.entries(RUNS))(
  '11: root cause, its evidence and the costliest agent of %s are found by keyboard in under a minute',
  async (_, { frames, cause, sure, agent, said }) => {
    const server = await LogServer.start();
    server.load(frames);
    const page = await browser.newPage({ viewport: WIDE });
    const walk = new Walk(page);
    await page.goto(server.url());
    await walk.read(page.locator('.cause', { hasText: cause }));
    const cited = await page.locator('.cause .evid b').allInnerTexts();
    await walk.press('?');
    await walk.read(page.getByText('the costliest agent'));
    await walk.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await walk.press(']');
    await walk.read(page.locator('.event'));
    const evidence = new URL(page.url()).hash;
    expect(cited).toContain(evidence);
    await walk.press('c');
    await walk.read(page.locator('.wrow.is-hot', { hasText: agent }));
    await walk.read(page.getByText(said));
    await walk.press('Escape');
    await walk.read(page.locator('.cause', { hasText: sure }));
    expect(new URL(page.url()).hash).toBe('');
    expect(walk.seconds).toBeLessThan(MOST_SECONDS);
    await page.close();
    server.close();
  },
);

test('C leads to the call that took the busiest agent the longest, with the times of its row', async () => {
  const server = await LogServer.start();
  server.load(framesOf(readFileSync(DEMO, 'utf8')));
  const page = await browser.newPage({ viewport: WIDE });
  await page.goto(server.url());
  await page.locator('.cause').waitFor();
  await page.keyboard.press('c');
  await page.locator('.event', { hasText: 'rank_root_causes' }).waitFor();
  const took = await page.locator('.wrow.is-hot .wmeta span').textContent();
  const said = page.getByText('Longest at work');
  expect(await said.textContent()).toMatch(new RegExp(` of its ${took}$`));
  // The message covers no row.
  const box = await said.boundingBox();
  const rows = await page.locator('.wbody').boundingBox();
  expect(box?.x).toBeGreaterThan((rows?.x ?? 0) + (rows?.width ?? 0));
  await page.close();
  server.close();
});
