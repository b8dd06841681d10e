import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { framesOf } from '../../support/streams/encode.js';
import { startChromium } from '../chromium.js';
import { differenceOf } from '../compare-pictures.js';
import { PHONE, violationsOn, WIDE } from './console-scene.js';
import { LogServer } from './log-server.js';

/** The pictures of docs/console.md, of recorded runs. `PICTURES=1` takes them anew. */
const FOLDER = join(import.meta.dirname, '../../../docs/images');
/** Part of the blocks of a picture that may differ: less than the ring of the confidence takes. */
const MOST_DIFFERENT = 0.001;

const LOGS = join(import.meta.dirname, '../../fixtures/console');
/** Recorded runs: `npm run demo`, and its recorded incident. */
const RUNS = { shop: framesIn('shop'), bookshop: framesIn('bookshop') };
type Run = keyof typeof RUNS;

function framesIn(name: string): string[] {
  return framesOf(readFileSync(join(LOGS, `${name}.log`), 'utf8'));
}

/** The number of the result of a tool at a node, in the log of a run. */
function resultOf(run: Run, tool: string, node: string): number {
  const frame = RUNS[run].find(
    (text) =>
      text.includes('event: llm.tool_result') &&
      text.includes(`"tool":"${tool}"`) &&
      text.includes(`"node":"${node}","subject"`),
  );
  const [, seq] = /^id: (\d+)$/m.exec(frame ?? '') ?? [];
  if (seq === undefined) throw new Error(`no result of ${tool} at ${node} in the log of ${run}`);
  return Number(seq);
}

const SERIES = resultOf('bookshop', 'metrics_compare', 'royalties');

let browser: Browser;
let servers: Record<Run, LogServer>;
beforeAll(async () => {
  browser = await startChromium();
  servers = { shop: await LogServer.start(), bookshop: await LogServer.start() };
  servers.shop.load(RUNS.shop);
  servers.bookshop.load(RUNS.bookshop);
});
afterAll(async () => {
  for (const server of Object.values(servers ?? {})) server.close();
  await browser?.close();
});

const lastTime = (run: Run): Date => {
  const [, time = ''] = /"timestamp":"([^"]+)"/.exec(RUNS[run].at(-1) ?? '') ?? [];
  return new Date(Date.parse(time) + 8_000);
};

interface Shown {
  run: Run;
  /** What follows the id of the run. */
  address: string;
  viewport: typeof WIDE;
}

async function openRun(name: string, { run, address, viewport }: Shown): Promise<Page> {
  const context = await browser.newContext({
    viewport,
    colorScheme: name.includes('dark') ? 'dark' : 'light',
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(lastTime(run));
  await page.goto(servers[run].url(address));
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

test.each<[string, string, Shown]>([
  ['run-dark-1440', '.gnode.h-root', { run: 'shop', address: '', viewport: WIDE }],
  ['run-light-1440', '.gnode.h-root', { run: 'shop', address: '', viewport: WIDE }],
  ['run-dark-390', '.cause', { run: 'shop', address: '', viewport: PHONE }],
  ['run-light-390', '.cause', { run: 'bookshop', address: '', viewport: PHONE }],
  ['series-dark-1440', '.u-wrap', { run: 'bookshop', address: `#${SERIES}`, viewport: WIDE }],
  [
    'log-light-1440',
    '.line.is-selected',
    {
      run: 'shop',
      viewport: WIDE,
      address: `?view=log#${resultOf('shop', 'redis_inspect', 'payments-redis')}`,
    },
  ],
])('%s looks as its picture does', async (name, ready, shown) => {
  const page = await openRun(name, shown);
  await page.locator(ready).first().waitFor();
  const file = pictureOf(name);
  if (process.env['PICTURES'] === '1' || !existsSync(file))
    writeFileSync(file, await page.screenshot());
  expect(await changeOf(page, name)).toBeLessThan(MOST_DIFFERENT);
  await page.context().close();
});

test.each(['dark', 'light'])('evidence as pictures has no violation of axe (%s)', async (theme) => {
  const ranking = resultOf('bookshop', 'rank_root_causes', 'storefront');
  const lines = resultOf('bookshop', 'log_patterns', 'royalties');
  for (const seq of [ranking, SERIES, lines]) {
    const page = await openRun(theme, { run: 'bookshop', address: `#${seq}`, viewport: WIDE });
    await page.locator('.picture').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.context().close();
  }
});

test.each([
  ['a part that vanished', 'svg.ring', 'visibility', 'hidden'],
  ['a part that moved', '.panel-side', 'marginTop', '6px'],
  ['a colour', '.gnode.h-root', 'background', 'gray'],
])('a picture tells %s', async (_, selector, property, value) => {
  const page = await openRun('run-dark-1440', { run: 'shop', address: '', viewport: WIDE });
  await page.locator('.gnode.h-root').waitFor();
  await page.evaluate(`document.querySelector('${selector}').style.${property} = '${value}'`);
  expect(await changeOf(page, 'run-dark-1440')).toBeGreaterThanOrEqual(MOST_DIFFERENT);
  await page.context().close();
});
