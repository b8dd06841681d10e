import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { RECORDED } from '../../support/logs.js';
import { startChromium } from '../chromium.js';
import { PHONE, WIDE } from './console-scene.js';
import { LogServer } from './log-server.js';

/**
 * The pictures of docs/console.md, of a recorded run. A page is compared with its picture in blocks of so many pixels, by their
 * mean colour: fonts may be drawn otherwise elsewhere, but what moved, vanished or changed its colour shows.
 * `PICTURES=1` takes them anew.
 */
const FOLDER = join(import.meta.dirname, '../../../docs/images');
const BLOCK = 24;
/** Of 255, in each colour. */
const MOST_DIFFERENCE = 24;
/** Part of the blocks that may differ by more. */
const MOST_DIFFERENT = 0.02;

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

const lastTime = (): Date => {
  const [, time = ''] = /"timestamp":"([^"]+)"/.exec(RECORDED['root-cause']?.at(-1) ?? '') ?? [];
  return new Date(Date.parse(time) + 8_000);
};

/** Reads two PNGs in the page and says which part of their blocks differs. */
const COMPARE = `async ([one, other, block, most]) => {
  const blocksOf = async (png) => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob());
    const [width, height] = [Math.ceil(image.width / block), Math.ceil(image.height / block)];
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const means = [];
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
      const { data } = context.getImageData(x * block, y * block, block, block);
      const sum = [0, 0, 0];
      for (let i = 0; i < data.length; i += 4) for (let c = 0; c < 3; c++) sum[c] += data[i + c];
      means.push(sum.map((value) => value / (data.length / 4)));
    }
    return { size: image.width + 'x' + image.height, means };
  };
  const [a, b] = [await blocksOf(one), await blocksOf(other)];
  if (a.size !== b.size) return 1;
  const differs = a.means.filter((mean, i) => mean.some((value, c) => Math.abs(value - b.means[i][c]) > most));
  return differs.length / a.means.length;
}`;

test.each([
  ['run-dark-1440', '', '.gnode.h-root', WIDE],
  ['run-light-1440', '', '.gnode.h-root', WIDE],
  ['run-dark-390', '', '.cause', PHONE],
  ['run-light-390', '', '.cause', PHONE],
  ['log-light-1440', '?view=log#EVIDENCE', '.line.is-selected', WIDE],
] as const)('%s looks as its picture does', async (name, address, ready, viewport) => {
  const context = await browser.newContext({
    viewport,
    colorScheme: name.includes('dark') ? 'dark' : 'light',
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(lastTime());
  const log = (RECORDED['root-cause'] ?? []).join('');
  const [, evidence = ''] = /"root_causes":\[\{[^\]]*"evidence":\[(\d+)/.exec(log) ?? [];
  await page.goto(server.url(address.replace('EVIDENCE', evidence)));
  await page.locator(ready).first().waitFor();
  await page.getByText('The end').waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  await page.evaluate('document.fonts.ready');
  const taken = await page.screenshot();
  const file = join(FOLDER, `console-${name}.png`);
  if (process.env['PICTURES'] === '1' || !existsSync(file)) writeFileSync(file, taken);
  // A page without a content security policy: that of the console forbids data URLs.
  const blank = await context.newPage();
  const wanted = readFileSync(file).toString('base64');
  const part = await blank.evaluate<number>(
    `(${COMPARE})(${JSON.stringify([wanted, taken.toString('base64'), BLOCK, MOST_DIFFERENCE])})`,
  );
  expect(part).toBeLessThan(MOST_DIFFERENT);
  await context.close();
});
