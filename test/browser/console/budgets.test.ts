import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.js';
import { WIDE } from './console-scene.js';
import { startFlood } from './flood-server.js';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

/** Bytes on the wire by kind of file, as they are compressed. */
function weigh(page: Page): Record<'js' | 'css', number> {
  const bytes = { js: 0, css: 0 };
  page.on('response', (response) => {
    const kind = /\.(js|css)$/.exec(new URL(response.url()).pathname)?.[1] as 'js' | 'css';
    if (kind) bytes[kind] += Number(response.headers()['content-length'] ?? 0);
  });
  return bytes;
}

const FRAMES = `
  window.frames_ = [];
  let before = performance.now();
  const frame = (now) => { window.frames_.push(now - before); before = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
`;

test.each([
  ['the list of runs', '', '.strip', 180_000],
  ['a run', '/runs/', '.gnode', 280_000],
])('10: %s loads no more than its budget', async (name, path, ready, most) => {
  const flood = await startFlood({ total: 25 });
  const page = await browser.newPage({ viewport: WIDE });
  const bytes = weigh(page);
  await page.goto(path === '' ? flood.url.replace(/\/runs\/.*$/, '') : flood.url);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState('networkidle');
  console.log(`${name}: ${bytes.js} bytes of JS, ${bytes.css} of CSS, compressed`);
  expect(bytes.js).toBeGreaterThan(50_000);
  expect(bytes.js).toBeLessThan(most);
  expect(bytes.css).toBeLessThan(25_000);
  await page.close();
  flood.close();
});

test('10: 1,000 events a second for 15 s leave no backlog', async () => {
  const flood = await startFlood({ total: 15_000, perSecond: 1_000 });
  const page = await browser.newPage({ viewport: WIDE });
  await page.goto(flood.url);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.evaluate(FRAMES);
  await page.locator('.scrub-at').getByText('of 15,000').waitFor();
  const times = await page.evaluate<number[]>('window.frames_');
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  console.log(
    `1,000 events a second: median frame ${Math.round(median)} ms, longest ${Math.round(times.at(-1) ?? 0)} ms of ${times.length}`,
  );
  await page.close();
  flood.close();
});

test('10: 50,000 events are read, and a seek in them is a look-up', async () => {
  const flood = await startFlood({ total: 50_000 });
  const page = await browser.newPage({ viewport: WIDE });
  const began = Date.now();
  await page.goto(flood.url);
  await page.locator('.scrub-at').getByText('of 50,000').waitFor();
  const read = Date.now() - began;
  const elements = await page.evaluate<number>('document.querySelectorAll("*").length');
  const sought = Date.now();
  await page.keyboard.press('Home');
  await page.getByText('As it was at #1', { exact: true }).waitFor();
  console.log(
    `50,000 events: read in ${read} ms with the page, ${elements} elements, seek ${Date.now() - sought} ms`,
  );
  expect(elements).toBeLessThan(2_500);
  await page.close();
  flood.close();
});
