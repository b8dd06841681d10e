import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { Scene } from '../support/scene.js';
import { erroring, healthy, httpTarget } from '../support/target.js';
import { topologyOf } from '../support/topology.js';
import { startChromium } from './chromium.js';
import { startFront } from './front.js';
import { errorsOn } from './page-errors.js';
import { takePicture } from './screenshot.js';

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
  await takePicture(page, `front-${name}`);
  await page.close();
});
