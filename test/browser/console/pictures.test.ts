import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { RECORDED } from '../../support/logs.js';
import { startChromium } from '../chromium.js';
import { differenceOf } from '../compare-pictures.js';
import { PHONE, WIDE } from './console-scene.js';
import { LogServer } from './log-server.js';

/** The pictures of docs/console.md, of a recorded run. `PICTURES=1` takes them anew. */
const FOLDER = join(import.meta.dirname, '../../../docs/images');
/** Part of the blocks of a picture that may differ: less than the ring of the confidence takes. */
const MOST_DIFFERENT = 0.001;

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

async function openRun(name: string, address: string, viewport: typeof WIDE): Promise<Page> {
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
  await page.getByText('The end').waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  await page.evaluate('document.fonts.ready');
  return page;
}

const pictureOf = (name: string): string => join(FOLDER, `console-${name}.png`);

/** The part of a page that is not as in its picture. */
async function changeOf(page: Page, name: string): Promise<number> {
  const blank = await page.context().newPage();
  const change = await differenceOf(blank, readFileSync(pictureOf(name)), await page.screenshot());
  await blank.close();
  return change;
}

test.each([
  ['run-dark-1440', '', '.gnode.h-root', WIDE],
  ['run-light-1440', '', '.gnode.h-root', WIDE],
  ['run-dark-390', '', '.cause', PHONE],
  ['run-light-390', '', '.cause', PHONE],
  ['log-light-1440', '?view=log#EVIDENCE', '.line.is-selected', WIDE],
] as const)('%s looks as its picture does', async (name, address, ready, viewport) => {
  const page = await openRun(name, address, viewport);
  await page.locator(ready).first().waitFor();
  const file = pictureOf(name);
  if (process.env['PICTURES'] === '1' || !existsSync(file))
    writeFileSync(file, await page.screenshot());
  expect(await changeOf(page, name)).toBeLessThan(MOST_DIFFERENT);
  await page.context().close();
});

test.each([
  ['a part that vanished', 'svg.ring', 'visibility', 'hidden'],
  ['a part that moved', '.panel-side', 'marginTop', '6px'],
  ['a colour', '.gnode.h-root', 'background', 'gray'],
])('a picture tells %s', async (_, selector, property, value) => {
  const page = await openRun('run-dark-1440', '', WIDE);
  await page.locator('.gnode.h-root').waitFor();
  await page.evaluate(`document.querySelector('${selector}').style.${property} = '${value}'`);
  expect(await changeOf(page, 'run-dark-1440')).toBeGreaterThanOrEqual(MOST_DIFFERENT);
  await page.context().close();
});
