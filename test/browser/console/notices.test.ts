import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.js';
import { WIDE } from './console-scene.js';
import { BEGUN, COMPLETED, HEAD, LogServer, type Draft } from './log-server.js';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

async function open(url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: WIDE, reducedMotion: 'reduce' });
  await page.goto(url);
  return page;
}

/** A change that the run asks for. */
const asked = (id: string, expires_at: string): Draft => ({
  name: 'system.approval',
  agent: HEAD,
  data: {
    approval_id: id,
    tool_call_id: id,
    dispatch_id: null,
    turn: 2,
    args_digest: 'a'.repeat(64),
    tool: 'restart_process',
    args: { node: 'db' },
    node: 'db',
    risk: 'Requests fail.',
    message: `Restart ${id}.`,
    expires_at,
  },
});

test('an approval says how many others wait, and cannot be given when its time is over', async () => {
  const server = await LogServer.start();
  server.push(...BEGUN, asked('one', '2000-01-01T00:00:00.000Z'));
  const page = await open(server.url());
  const banner = page.getByRole('region', { name: 'Approval needed' });
  await banner.getByText('The time to decide is over').waitFor();
  expect(await banner.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
  expect(await banner.getByRole('button', { name: 'Refuse' }).isDisabled()).toBe(true);
  server.push(
    { name: 'system.decision', data: { approval_id: 'one', decision: 'expired', message: '' } },
    asked('two', '2999-01-01T00:00:00.000Z'),
    asked('three', '2999-01-01T00:00:00.000Z'),
  );
  await banner.getByText('Restart two.').waitFor();
  await banner.getByText('; 1 more to decide').waitFor();
  expect(await banner.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(false);
  await page.context().close();
  server.close();
});

test('a page whose log is not read yet offers nothing that depends on it', async () => {
  const server = await LogServer.start();
  server.push(...BEGUN, COMPLETED);
  const page = await browser.newPage({ viewport: WIDE });
  let read = (): void => {};
  const reading = new Promise<void>((resolve) => (read = resolve));
  await page.route('**/events?*', async (route) => {
    await reading;
    await route.continue();
  });
  await page.goto(server.url());
  await page.getByText('Reading the log').waitFor();
  expect(await page.getByRole('button', { name: /^(Cancel|Run again)$/ }).count()).toBe(0);
  expect(await page.locator('.scrub-at').count()).toBe(0);
  read();
  await page.getByRole('button', { name: 'Run again' }).waitFor();
  await page.context().close();
  server.close();
});

test('reasons and names of many words leave the height of the header as it is, and room for the question', async () => {
  const server = await LogServer.start();
  const [started, topology] = BEGUN;
  if (!started || !topology) throw new Error('a run begins with two events');
  const topology_name = 'All services of the European production platform, with shared data stores';
  server.push({ ...started, data: { ...started.data, topology_name } }, topology);
  const page = await open(server.url());
  const strip = page.locator('.scrub');
  await page.getByText('Live', { exact: true }).waitFor();
  const before = await strip.boundingBox();
  const reasons = ['TOOL_FAILED', 'BUDGET_EXCEEDED', 'NODES_UNCHECKED'];
  server.push({ ...COMPLETED, data: { ...COMPLETED.data, partial: true, reasons } });
  await page.locator('.pill-partial').waitFor();
  expect((await strip.boundingBox())?.y).toBe(before?.y);
  expect((await page.locator('.hero-asked').boundingBox())?.width).toBeGreaterThan(50);
  await page.context().close();
  server.close();
});

test('the timeline is narrowed to a node that is picked', async () => {
  const server = await LogServer.start();
  server.push(...BEGUN);
  const page = await open(server.url('?node=web'));
  await page.getByText('No agent was sent to Web.').waitFor();
  await page.getByRole('button', { name: 'Web (show all nodes)' }).click();
  await page.getByRole('treeitem', { name: /^Head/ }).waitFor();
  await page.context().close();
  server.close();
});
