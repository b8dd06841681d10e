import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { framesOf } from '../../support/streams/encode.js';
import { startChromium } from '../chromium.js';
import { keepScreenshot } from '../screenshot.js';
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

describe('of a recorded incident', () => {
  const LOG = join(import.meta.dirname, '../../fixtures/console/bookshop.log');
  let recorded: LogServer;
  beforeAll(async () => {
    recorded = await LogServer.start();
    recorded.load(framesOf(readFileSync(LOG, 'utf8')));
  });
  afterAll(() => recorded?.close());

  test('suspects are in order and have a state; only root causes have a confidence', async () => {
    const page = await browser.newPage({ viewport: WIDE, reducedMotion: 'reduce' });
    await page.goto(recorded.url());
    await page.getByText('The end').waitFor();
    const others = page
      .locator('section', { has: page.getByRole('heading', { name: 'Other suspects' }) })
      .last();
    await others
      .getByRole('button', { name: /^1 ?books-db ?Warning/ })
      .waitFor({ timeout: 30_000 });
    expect(await others.innerText()).not.toContain('%');
    await page.locator('.cause', { hasText: '87 %' }).waitFor();
    await keepScreenshot(page, 'console-suspects');
    await page.locator('.cause .evid b').first().click();
    await page.getByText('How likely each is the cause, by recorded telemetry.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.close();
  });

  test('the report is saved as a file of its own, whose links lead to what it cites', async () => {
    const page = await browser.newPage({ viewport: WIDE });
    await page.goto(recorded.url());
    await page.getByText('The end').waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Save the report as HTML' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('report-bookshop-0000000f.html');
    const report = await browser.newPage({ viewport: WIDE });
    await report.setContent(readFileSync(await file.path(), 'utf8'));
    await report.getByRole('img', { name: /^Path of the failure/ }).waitFor();
    await report
      .getByRole('link', { name: /^#\d+ rank_root_causes$/ })
      .first()
      .click();
    await report.locator('h3:target', { hasText: 'rank_root_causes' }).waitFor();
    const events = await report.getByRole('link', { name: 'Open in the console' }).all();
    expect(events.length).toBeGreaterThan(3);
    for (const event of events)
      expect(await event.getAttribute('href')).toMatch(
        new RegExp(`^${recorded.url().replaceAll('.', '\\.')}#\\d+$`),
      );
    expect(await violationsOn(report)).toEqual([]);
    await report.close();
    await page.close();
  });
});
