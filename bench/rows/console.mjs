import { setTimeout as sleep } from 'node:timers/promises';
import { findChromium, MISSING } from '../../scripts/lib/chromium.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'Console';
export const about = `The page of a run in a headless Chromium without a graphics processor, from a server that serves the built console and writes one log: sixty
workers that think, speak, call tools and get results. Processor time is that of the page's main thread. A frame is the time between two calls of
requestAnimationFrame, which makes the page draw every frame; what else the machine does lengthens it, and the processor time not. The
work of a frame is the processor time of its scripts, style, layout and paint, from a trace of Chromium. "Ready": from the navigation until the root cause of a recorded
run is shown.`;

const READY = 'the report of a recorded run';
const PAGE = 'console';
const LIVE_PER_SECOND = 1_000;

/** What is measured of logs of so many events. */
const namesOf = (live, whole) => ({
  live: `a live run, 1,000 events/s for ${live / LIVE_PER_SECOND} s`,
  read: `${whole.toLocaleString('en')} events at once`,
});

export async function run({ reps, size, brief }) {
  const table = new Table();
  const executablePath = findChromium();
  if (executablePath === undefined) {
    table.note(`Not measured: ${MISSING}`);
    return table;
  }
  // The servers of the browser tests are TypeScript.
  await import('../../scripts/ts.mjs');
  const [{ chromium }, { startFlood }, { LogServer }, { RECORDED }] = await Promise.all([
    import('playwright-core'),
    import('../../test/browser/console/flood-server.ts'),
    import('../../test/browser/console/log-server.ts'),
    import('../../test/support/streams/logs.ts'),
  ]);
  const share = Math.min(1, size) * (brief ? 0.1 : 1);
  const live = Math.round(15_000 * share);
  const whole = Math.round(50_000 * share);
  const names = namesOf(live, whole);
  const recorded = await LogServer.start();
  recorded.load(RECORDED['root-cause']);
  // The first round is not counted.
  for (let rep = brief ? 0 : -1; rep < reps; rep++) {
    const add = (...measured) => rep >= 0 && table.add(...measured);
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    await measureReady(browser, recorded.url(), add);
    const drip = await startFlood({ total: live, perSecond: LIVE_PER_SECOND });
    await measureLive(browser, { flood: drip, total: live, name: names.live }, add);
    const burst = await startFlood({ total: whole });
    await measureRead(browser, { flood: burst, total: whole, name: names.read }, add);
    await browser.close();
  }
  recorded.close();
  addTargets(table, names);
  return table;
}

const FRAMES = `
  window.frames_ = [];
  let before = performance.now();
  const frame = (now) => { window.frames_.push(now - before); before = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
`;

/** A page whose processor time is counted. */
async function openPage(browser) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(180_000);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spentMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (name) => (metrics.find((metric) => metric.name === name)?.value ?? NaN) * 1_000;
    return { all: of('TaskDuration'), scripts: of('ScriptDuration') };
  };
  const atEnd = (total) =>
    page
      .locator('.scrub-at')
      .getByText(`of ${total.toLocaleString('en')}`)
      .waitFor();
  return { page, session, spentMs, atEnd };
}

/** @returns the value below which this part of them is */
function at(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/**
 * Traces the frames of all pages.
 * @returns how to stop it, and to get the processor time of each frame, in ms
 */
async function traceFrames(browser) {
  const session = await browser.newBrowserCDPSession();
  const work = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const { name, ph, tdur } of value)
      if (name === 'ProxyMain::BeginMainFrame' && ph === 'X' && tdur !== undefined)
        work.push(tdur / 1_000);
  });
  const traceConfig = { includedCategories: ['cc'], recordMode: 'recordContinuously' };
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  return async () => {
    const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.end');
    await complete;
    await session.detach();
    return work;
  };
}

async function measureReady(browser, url, add) {
  const { page } = await openPage(browser);
  await page.goto(url);
  await page.locator('.cause').first().waitFor();
  add(`${READY}: ready`, PAGE, 'ms', await page.evaluate('performance.now()'));
  const paint = 'performance.getEntriesByName("first-contentful-paint")[0]?.startTime';
  add(`${READY}: first paint`, PAGE, 'ms', await page.evaluate(paint));
  const weigh = (kind) =>
    page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.${kind}')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
  add('scripts of a run, compressed', PAGE, 'kB', (await weigh('js')) / 1_000);
  add('styles of a run, compressed', PAGE, 'kB', (await weigh('css')) / 1_000);
  await page.close();
}

async function measureLive(browser, { flood, total, name }, add) {
  const { page, spentMs, atEnd } = await openPage(browser);
  await page.goto(flood.url);
  await page.locator('.gnode').first().waitFor();
  await sleep(500);
  const stopTrace = await traceFrames(browser);
  await page.evaluate(FRAMES);
  const before = await spentMs();
  const began = Date.now();
  await atEnd(total);
  const after = await spentMs();
  const took = Date.now() - began;
  const frames = await page.evaluate('frames_');
  add(`${name}: frame, median`, PAGE, 'ms', at(frames, 0.5));
  add(`${name}: frame, 99th percentile`, PAGE, 'ms', at(frames, 0.99));
  add(`${name}: frame, longest`, PAGE, 'ms', at(frames, 1));
  const work = await stopTrace();
  add(`${name}: work of a frame, median`, PAGE, 'ms', at(work, 0.5));
  add(`${name}: work of a frame, 99th percentile`, PAGE, 'ms', at(work, 0.99));
  add(`${name}: work of a frame, longest`, PAGE, 'ms', at(work, 1));
  const partOf = (what) => ((after[what] - before[what]) / took) * 100;
  add(`${name}: scripts, of one core`, PAGE, '%', partOf('scripts'));
  add(`${name}: scripts, style, layout and paint, of one core`, PAGE, '%', partOf('all'));
  await page.close();
  flood.close();
}

async function measureRead(browser, { flood, total, name }, add) {
  const { page, session, spentMs, atEnd } = await openPage(browser);
  const response = page.waitForResponse('**/events?*');
  await page.goto(flood.url);
  await response;
  const began = Date.now();
  await atEnd(total);
  add(`${name}: read, from the first byte`, PAGE, 'ms', Date.now() - began);
  add(`${name}: processor time, with the start of the page`, PAGE, 'ms', (await spentMs()).all);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  add(`${name}: heap`, PAGE, 'MB', usedSize / 1e6);
  const sought = await page.evaluate(`new Promise((resolve) => {
    const began = performance.now();
    new MutationObserver((_, observer) => {
      if (document.querySelector('.pill-replay') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
    }).observe(document.body, { subtree: true, childList: true });
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }));
  })`);
  add(`${name}: seek, until it is painted`, PAGE, 'ms', sought);
  await page.close();
  flood.close();
}

/** The budgets of the page. */
function addTargets(table, { live, read }) {
  for (const [what, most, unit] of [
    [`${READY}: first paint`, 600, 'ms'],
    [`${READY}: ready`, 1_200, 'ms'],
    ['scripts of a run, compressed', 280, 'kB'],
    ['styles of a run, compressed', 25, 'kB'],
    [`${live}: frame, median`, 50, 'ms'],
    [`${live}: frame, longest`, 250, 'ms'],
    [`${live}: scripts, of one core`, 30, '%'],
    [`${read}: read, from the first byte`, 4_000, 'ms'],
    [`${read}: heap`, 120, 'MB'],
    [`${read}: seek, until it is painted`, 100, 'ms'],
  ])
    table.target(what, table.median(what, PAGE), '<=', most, unit);
}
