import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { Scene } from '../support/scene.js';
import { erroring, healthy, httpTarget } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';
import { startChromium } from './chromium.js';
import { startFront } from './front.js';
import { errorsOn } from './page-errors.js';
import { differenceOf } from './compare-pictures.js';
import { pictureFile, takePicture } from './screenshot.js';

/** Part of the blocks of a picture that may differ: less than a line of text takes. */
const MOST_DIFFERENT = 0.002;

/**
 * Replaces what is of this run alone, and leaves one notice of each wording: how many there are
 * depends on the time that it takes.
 */
const STEADY = `(() => {
  const REPLACED = [
    [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '01a204b7-ee02-75c2-ba74-a2cd58377289'],
    [/\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d/g, '2026-11-22 19:24:53'],
    [/is (?:queued|running|completed), with \\d+ events/g, 'is running, with 12 events'],
  ];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    for (const [pattern, by] of REPLACED) text.data = text.data.replace(pattern, by);
  const seen = new Set();
  for (const notice of document.querySelectorAll('.notice')) {
    if (seen.has(notice.textContent)) notice.remove();
    seen.add(notice.textContent);
  }
})()`;

const scene = new Scene();
let browser: Browser;
let front: { url: string; close(): Promise<void> };
let topologyId: number;
beforeAll(async () => {
  browser = await startChromium();
  const api = await scene.service({ ALLOWED_HOSTS: '127.0.0.1' });
  front = await startFront(api.url);
  const cache = await httpTarget(scene.targets, erroring);
  const web = { ...(await httpTarget(scene.targets, healthy)), dependsOn: ['cache'] };
  topologyId = await api.store(topologyOf({ web, cache }, { name: 'Web shop' }));
});
afterAll(async () => {
  await browser.close();
  await front.close();
  await scene.close();
});

test.each([
  ['use-chat', /start_diagnosis: output-available/],
  ['ag-ui', /start_diagnosis/],
])('%s shows a diagnosis that a chat started', async (name, call) => {
  const page = await browser.newPage({ viewport: { width: 820, height: 640 } });
  const errors = errorsOn(page);
  await page.goto(`${front.url}/${name}.html#front-${name}`);
  await page.getByLabel('Message').fill(`Diagnose topology ${topologyId}`);
  await page.getByRole('button', { name: 'Send' }).click();
  await page
    .getByText(/Root cause/)
    .first()
    .waitFor();
  await page.locator('output', { hasText: /^ready$/ }).waitFor();
  await page.locator('.tool', { hasText: call }).waitFor();
  // The run of the diagnosis was named while it ran.
  await page
    .locator('.notice', { hasText: /run [0-9a-f-]{36}/ })
    .first()
    .waitFor();
  expect(errors).toEqual([]);
  await page.evaluate(STEADY);
  await takePicture(page, `front-${name}`);
  expect(await changeOf(page, `front-${name}`)).toBeLessThan(MOST_DIFFERENT);
  // A line less shows.
  await page.evaluate(`document.querySelector('.tool').remove()`);
  expect(await changeOf(page, `front-${name}`)).toBeGreaterThanOrEqual(MOST_DIFFERENT);
  await page.close();
});

/** The part of a page that is not as in its picture of the documentation. */
async function changeOf(page: Page, name: string): Promise<number> {
  const blank = await browser.newPage();
  const shot = await page.screenshot({ fullPage: true });
  const change = await differenceOf(blank, readFileSync(pictureFile(name)), shot);
  await blank.close();
  return change;
}
