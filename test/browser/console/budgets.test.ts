import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { framesOf } from '../../support/streams/encode.js';
import { startChromium } from '../chromium.js';
import { WIDE } from './console-scene.js';
import { startFlood } from './flood-server.js';
import { LogServer } from './log-server.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures/console');

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

const PARTS = {
  timeline: '.wcanvas',
  position: '.scrub-at',
  tokens: '.factsline',
  graph: '.graph',
  report: '.report',
};
type Part = keyof typeof PARTS;
/** Those that are read, and not watched. */
const READ = ['position', 'tokens', 'graph', 'report'] as const;

/**
 * Counts how often parts of the page are drawn (all changes of one picture come in one call of an
 * observer), frames in which two of them are, and how often edges of the graph come and go.
 */
const COUNT = `
  const began = performance.now();
  window.drawn_ = { elapsed: () => performance.now() - began, together: [], edges: 0 };
  const inFrame = new Set();
  const frame = () => {
    if (inFrame.size > 1) window.drawn_.together.push([...inFrame].join(' and '));
    inFrame.clear();
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  for (const [name, selector] of Object.entries(${JSON.stringify(PARTS)})) {
    window.drawn_[name] = 0;
    new MutationObserver(() => {
      window.drawn_[name]++;
      inFrame.add(name);
    }).observe(document.querySelector(selector), {
      subtree: true, childList: true, characterData: true, attributes: true,
    });
  }
  new MutationObserver((changes) => (window.drawn_.edges += changes.length)).observe(
    document.querySelector('.react-flow__edges'), { childList: true },
  );
`;
/**
 * What running animations change, apart from what Chromium animates without drawing the page, and
 * from transitions, which end.
 */
const PAINTING = `document.getAnimations().filter((each) =>
  each.playState === 'running' && !(each instanceof CSSTransition)).flatMap(({ effect }) => effect.getKeyframes().flatMap((frame) => Object.keys(frame)).filter((name) =>
    !['offset', 'computedOffset', 'easing', 'composite', 'transform', 'opacity'].includes(name)))`;
/** How many parts of the timeline move by themselves. */
const MOVING = `document.getAnimations().filter(({ playState, effect }) =>
  playState === 'running' && effect.target.closest('.waterfall')).length`;

interface Weighed {
  name: string;
  url: string;
  /** What is there when all is loaded. */
  ready: string;
  most: number;
}

async function expectWithin({ name, url, ready, most }: Weighed): Promise<void> {
  const page = await browser.newPage({ viewport: WIDE });
  const bytes = weigh(page);
  await page.goto(url);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState('networkidle');
  console.log(`${name}: ${bytes.js} bytes of JS, ${bytes.css} of CSS, compressed`);
  expect(bytes.js).toBeGreaterThan(50_000);
  expect(bytes.js).toBeLessThan(most);
  expect(bytes.css).toBeLessThan(25_000);
  await page.close();
}

test.each([
  ['the list of runs', '', '.strip', 180_000],
  ['a run', '/runs/', '.gnode', 280_000],
  ['a topology and its editor', '/topologies/new', '.editor', 440_000],
])('10: %s loads no more than its budget', async (name, path, ready, most) => {
  const flood = await startFlood({ total: 80 });
  const root = flood.url.replace(/\/runs\/.*$/, '');
  await expectWithin({ name, url: path === '/runs/' ? flood.url : root + path, ready, most });
  flood.close();
});

test('10: a run with a picture of series, its largest part, loads no more than its budget', async () => {
  const log = framesOf(readFileSync(join(FIXTURES, 'bookshop.log'), 'utf8'));
  const seq =
    log.findIndex(
      (frame) =>
        frame.includes('"tool":"metrics_compare"') && /^event: llm.tool_result$/m.test(frame),
    ) + 1;
  const server = await LogServer.start();
  server.load(log);
  const url = server.url(`#${seq}`);
  await expectWithin({ name: 'a run with series', url, ready: '.u-wrap', most: 280_000 });
  server.close();
});

test('10: 1,000 events a second leave no backlog, and are drawn no more often than they are seen', async () => {
  const total = 6_000;
  const flood = await startFlood({ total, perSecond: 1_000 });
  const page = await browser.newPage({ viewport: WIDE });
  await page.goto(flood.url);
  await page.locator('.gnode').first().waitFor();
  for (const part of Object.values(PARTS)) await page.locator(part).first().waitFor();
  await page.evaluate(COUNT);
  await page.locator('.waterfall.is-crowded').waitFor();
  expect(await page.evaluate<number>(MOVING)).toBe(0);
  expect(await page.evaluate<string[]>(PAINTING)).toEqual([]);
  await page
    .locator('.scrub-at')
    .getByText(/of [345],/)
    .waitFor();
  // No frame has room for two parts of the page; what a card says changes no edge.
  expect(await page.evaluate<string[]>('drawn_.together')).toEqual([]);
  expect(await page.evaluate<number>('drawn_.edges')).toBe(0);
  await page.locator('.scrub-at').getByText('of 6,000').waitFor();
  const elapsed = await page.evaluate<number>('drawn_.elapsed()');
  const drawn = await page.evaluate<Record<Part, number>>('drawn_');
  // One picture more: the first change is drawn at once, and the end of a run, too.
  expect(drawn.timeline).toBeGreaterThan(2);
  expect(drawn.timeline).toBeLessThanOrEqual(elapsed / 45 + 2);
  // What is read, and not watched, is drawn five times a second.
  for (const part of READ) expect(drawn[part]).toBeLessThanOrEqual(elapsed / 200 + 3);
  await page.close();
  flood.close();
});

test('10: 50,000 events fit the memory of a page, and a seek in them is a look-up', async () => {
  const flood = await startFlood({ total: 50_000 });
  const page = await browser.newPage({ viewport: WIDE });
  await page.goto(flood.url);
  await page.locator('.scrub-at').getByText('of 50,000').waitFor();
  await page.getByText('The end').waitFor();
  const elements = await page.evaluate<number>('document.querySelectorAll("*").length');
  expect(elements).toBeLessThan(2_500);
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  expect(usedSize).toBeLessThan(120e6);
  await page.keyboard.press('Home');
  await page.getByText('As it was at #1', { exact: true }).waitFor();
  await page.close();
  flood.close();
});
