import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.js';
import { violationsOn, WIDE } from './console-scene.js';
import { BEGUN, HEAD, LogServer, warning, type Draft } from './log-server.js';

let browser: Browser;
let server: LogServer;
beforeAll(async () => {
  browser = await startChromium();
  server = await LogServer.start();
});
afterAll(async () => {
  server?.close();
  await browser?.close();
});

const cause = (node: string, title: string) => ({
  node,
  kind: 'exception',
  symptom: 'erroring',
  title,
  confidence: 0.9,
  evidence: [3],
});
const step = (text: string, node: string, access: 'read' | 'change' = 'read') => ({
  text,
  node,
  access,
  evidence: [3],
  origin: 'catalogue',
});
const ENDED: Draft = {
  name: 'lifecycle.completed',
  data: {
    summary: 'Broken.',
    partial: false,
    reasons: [],
    report: {
      verdict: 'root_cause_found',
      headline: '2 root causes.',
      impact: 'Web is affected by it.',
      findings: [],
      unchecked: [],
      counts: { critical: 2, warning: 0, info: 0 },
      root_causes: [cause('db', 'Database: refuses'), cause('web', 'Web: crashes')],
      next_steps: [
        step('Look at the log of Database.', 'db'),
        step('Restart it.', 'db', 'change'),
        step('Look at the log of Web.', 'web'),
      ],
    },
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  },
  agent: HEAD,
};

async function openEnded(): Promise<Page> {
  const page = await browser.newPage({ viewport: WIDE, reducedMotion: 'reduce' });
  await page.goto(server.url());
  await page.getByText('The end').waitFor();
  return page;
}

test('shows all causes, what to do first about each, and the other steps behind them', async () => {
  const slow = (tool: string) => warning('TOOL_RUNNING', `${tool} is still running after 1 s.`);
  server.push(...BEGUN, slow('tcp_probe'), slow('http_probe'), slow('redis_inspect'), ENDED);
  const page = await openEnded();
  expect(await page.locator('h1').innerText()).toBe('Database: refuses (and 1 more root cause)');
  expect(await page.locator('.pathnode.is-root').allInnerTexts()).toEqual(['Database', 'Web']);
  const first = page.locator('.cause-first p');
  expect(await first.allInnerTexts()).toEqual([
    'Look at the log of Database.',
    'Look at the log of Web.',
  ]);
  const then = page.locator('.steps');
  expect(await then.getAttribute('start')).toBe('3');
  expect(await then.locator('li').allInnerTexts()).toEqual([
    expect.stringContaining('Restart it. Database'),
  ]);
  expect(await page.locator('.factsline dt').allInnerTexts()).toEqual([
    'Time',
    'Agents',
    'Checked',
  ]);
  expect(await violationsOn(page)).toEqual([]);
  await page.context().close();
});

test('of many messages of a kind the latest is shown, and the others fold out', async () => {
  const page = await openEnded();
  const cards = page.locator('.report .sys:visible');
  expect(await cards.count()).toBe(1);
  expect(await cards.innerText()).toContain('redis_inspect');
  await page.getByText('Earlier: TOOL_RUNNING').click();
  expect(await cards.count()).toBe(3);
  await page.context().close();
});
