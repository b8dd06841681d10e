import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { Api } from '../support/api.js';
import { ModelScene } from '../support/models/model-scene.js';
import { answer, begin, reset, type ProviderServer } from '../support/models/provider-server.js';
import { Scene } from '../support/scene.js';
import { healthy, httpTarget } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';
import { startChromium } from './chromium.js';
import { startFront } from './front.js';
import { errorsOn } from './page-errors.js';
import { keepScreenshot } from './screenshot.js';

let browser: Browser;
const closers: (() => Promise<void>)[] = [];
/** The errors of each page that a test has opened. */
let errors: Error[][] = [];
beforeAll(async () => {
  browser = await startChromium();
});
afterEach(() => {
  const uncaught = errors.flat();
  errors = [];
  expect(uncaught).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  for (const close of closers.toReversed()) await close();
});

/** The address of a service's pages. */
async function frontOf(api: Api): Promise<string> {
  const front = await startFront(api.url);
  closers.push(() => front.close());
  return front.url;
}

/** A service whose oracle uses a model over HTTP. */
async function frontOfModel(): Promise<{ server: ProviderServer; url: string }> {
  const model = new ModelScene();
  await model.open();
  closers.push(() => model.close());
  return {
    server: model.server,
    url: await frontOf(await model.service({ ...model.hosted(), ALLOWED_HOSTS: '127.0.0.1' })),
  };
}

async function openChat(url: string, id: string): Promise<Page> {
  const page = await browser.newPage();
  errors.push(errorsOn(page));
  await page.goto(`${url}/use-chat.html#${id}`);
  return page;
}

async function send(page: Page, message: string): Promise<void> {
  await page.getByLabel('Message').fill(message);
  await page.getByRole('button', { name: 'Send' }).click();
}

const status = (page: Page, is: string) =>
  page.locator('output', { hasText: new RegExp(`^${is}$`) }).waitFor();
/** The texts of the assistant's messages. */
const said = async (page: Page) =>
  (await page.locator('article[data-role=assistant]').all()).length === 0
    ? []
    : Promise.all(
        (await page.locator('article[data-role=assistant]').all()).map(async (one) =>
          (await one.locator('p').allInnerTexts()).join('|'),
        ),
      );

test('useChat shows the answer, its tool calls and their sources', async () => {
  const scene = new Scene();
  closers.push(() => scene.close());
  const api = await scene.service({ ALLOWED_HOSTS: '127.0.0.1' });
  const url = await frontOf(api);
  const id = await api.store(
    topologyOf({ shop: await httpTarget(scene.targets, healthy) }, { name: 'The shop' }),
  );
  const page = await openChat(url, 'shows-1');
  await send(page, 'List the topologies, please');
  await page.getByText(`- ${id}: The shop`).waitFor();
  await status(page, 'ready');
  expect(await page.locator('.tool').allInnerTexts()).toEqual([
    'list_topologies: output-available',
  ]);
  expect(await page.locator('.source').allInnerTexts()).toEqual(['topologies']);

  await send(page, `Diagnose topology ${id}`);
  await page.getByText('Nothing was found to be wrong.').waitFor();
  await status(page, 'ready');
  expect(await said(page)).toHaveLength(2);
  await keepScreenshot(page, 'use-chat');
});

test('a page that is reloaded during an answer shows all of it once', async () => {
  const { server, url } = await frontOfModel();
  let finish = () => {};
  const held = new Promise<void>((resolve) => (finish = resolve));
  server.script(async (exchange) => {
    await begin({ text: 'The disk of the shop ' }, { text: 'is ' })(exchange);
    await held;
    exchange.response.end(
      exchange.frames.say({ text: 'full.' }) + exchange.frames.say({ end: 'stop' }),
    );
  });
  const page = await openChat(url, 'again-1');
  await send(page, 'What is wrong?');
  await page.getByText('The disk of the shop is').waitFor();
  await page.reload();
  await page.getByText('The disk of the shop is').waitFor();
  finish();
  await page.getByText('The disk of the shop is full.').waitFor();
  await status(page, 'ready');
  expect(await said(page)).toEqual(['The disk of the shop is full.']);
  expect(server.exchanges).toHaveLength(1);
});

test('an interrupted answer is shown with the error and can be requested again', async () => {
  const { server, url } = await frontOfModel();
  server.script(async (exchange) => {
    await begin({ text: 'So far, so ' })(exchange);
    await reset(exchange);
  });
  server.otherwise = answer({ text: 'All is well.' });
  const page = await openChat(url, 'breaks-1');
  await send(page, 'Is it well?');
  await status(page, 'error');
  expect(await said(page)).toEqual(['So far, so ']);
  expect(await page.getByRole('alert').innerText()).not.toBe('');
  await page.getByRole('button', { name: 'Again' }).click();
  await page.getByText('All is well.').waitFor();
  await status(page, 'ready');
  expect(await said(page)).toEqual(['All is well.']);
});
