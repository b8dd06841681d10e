import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.js';
import { PHONE, WIDE } from './console-scene.js';
import { BEGUN, COMPLETED, HEAD, LogServer } from './log-server.js';

const LONG = 'Five hundred services with a name that is long, as people write them. '.repeat(2);
const topology = { id: 1, name: LONG, version: 1, nodeCount: 1, teamCount: 1, agentCount: 1 };
const rule = { id: 'r', name: 'Context', trigger: 'on_turn_start', enabled: true };

let browser: Browser;
let server: LogServer;
beforeAll(async () => {
  browser = await startChromium();
  server = await LogServer.start({
    'GET executions': { items: [], nextCursor: null },
    'GET topologies': { items: [topology] },
    'GET rules': { items: [rule, { ...rule, id: 's' }] },
    'GET subscribers': { items: [] },
    'GET behaviours': { items: [] },
  });
});
afterAll(async () => {
  server?.close();
  await browser?.close();
});

async function open(path: string, viewport = WIDE): Promise<Page> {
  const page = await browser.newPage({ viewport });
  await page.goto(`${server.origin}/console${path}`);
  return page;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const boxOf = (page: Page, selector: string): Promise<Box> =>
  page.evaluate<Box>(`document.querySelector('${selector}').getBoundingClientRect().toJSON()`);

test.each([WIDE, { width: 1024, height: 768 }])(
  'a long name of a topology leaves the filters of the list in one line (%o)',
  async (viewport) => {
    const page = await open('/runs', viewport);
    await page.locator('option', { hasText: LONG.trim() }).waitFor({ state: 'attached' });
    const first = await boxOf(page, '.filters .seg');
    const search = await boxOf(page, '.filters .field-search');
    expect(search.top).toBeLessThan(first.bottom);
    expect(search.right - search.left).toBeGreaterThan(140);
    await page.context().close();
  },
);

test('the rows of a list have as much room above their text as below it', async () => {
  const page = await open('/settings');
  await page.locator('.toolist .disc').first().waitFor();
  const row = await boxOf(page, '.toolist .disc:nth-child(2)');
  const text = await boxOf(page, '.toolist .disc:nth-child(2) b');
  expect(Math.abs(text.top - row.top - (row.bottom - text.bottom))).toBeLessThanOrEqual(2);
  expect(text.top - row.top).toBeGreaterThan(4);
  await page.context().close();
});

test.each([
  [PHONE, ['Payment Gateway Supervisor', 'Certificate Inspector of the shop']],
  [{ width: 1024, height: 768 }, ['Payment Gateway Supervisor', 'Certificate Inspector']],
  [WIDE, ['Payment Gateway Supervisor']],
])(
  'the names of agents in the timeline are not cut, with the time beside them (%o)',
  async (viewport, agents) => {
    const run = await LogServer.start();
    run.push(
      ...BEGUN,
      ...agents.map((name, i) => ({
        name: 'dispatch.worker',
        data: { worker_name: name, agent_id: `w${i}`, dispatch_id: `d${i}`, task: 'Look.' },
        agent: HEAD,
      })),
      COMPLETED,
    );
    const page = await browser.newPage({ viewport });
    await page.goto(run.url());
    // The header of a phone grows while the log is read: a click would miss what it moves.
    await page.getByText('The end').waitFor({ state: 'attached' });
    if (viewport === PHONE) await page.getByRole('button', { name: 'Timeline' }).click();
    for (const agent of agents) await page.locator('.wrow', { hasText: agent }).waitFor();
    const cut = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.wrow .wwho b, .wname-head > span')]
        .filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent)`,
    );
    expect(cut).toEqual([]);
    const name = await boxOf(page, '.wrow .wname');
    const time = await boxOf(page, '.wrow .wmeta');
    const bars = await boxOf(page, '.wrow .wtrack');
    expect(time.top).toBeLessThan(name.bottom);
    if (viewport === PHONE) expect(bars.top).toBeGreaterThanOrEqual(name.bottom - 1);
    expect(bars.right - bars.left).toBeGreaterThan(200);
    await page.context().close();
    run.close();
  },
);

test('the note below the graph of a large topology covers no list of nodes', async () => {
  const nodes = Array.from({ length: 60 }, (_, i) => ({
    id: `n${i}`,
    name: `N ${i}`,
    kind: 'tcp',
  }));
  const stored = await LogServer.start({
    'GET topologies/1': { ...topology, name: 'Large', nodes, updatedAt: '2026-01-01T00:00:00Z' },
    'GET executions': { items: [], nextCursor: null },
  });
  const page = await browser.newPage({ viewport: WIDE });
  await page.goto(`${stored.origin}/console/topologies/1`);
  await page.locator('.graph-groups').waitFor();
  const list = await boxOf(page, '.graph-groups');
  const note = await boxOf(page, '.graph-note');
  expect(note.top).toBeGreaterThanOrEqual(list.bottom - 1);
  await page.context().close();
  stored.close();
});

test('a topology whose runs are not read yet is not said to be undiagnosed', async () => {
  const nodes = [{ id: 'n', name: 'N', kind: 'tcp' }];
  const stored = await LogServer.start({
    'GET topologies/1': { ...topology, nodes, updatedAt: '2026-01-01T00:00:00Z' },
    'GET executions': { items: [], nextCursor: null },
  });
  const page = await browser.newPage({ viewport: WIDE });
  let answer = (): void => undefined;
  const read = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/executions?*', async (route) => {
    await read;
    await route.continue();
  });
  await page.goto(`${stored.origin}/console/topologies/1`);
  await page.locator('.gnode').waitFor();
  const note = page.getByText('Not diagnosed yet');
  const height = async () => (await page.locator('.graph-note').boundingBox())?.height;
  const before = await height();
  expect(await note.count()).toBe(0);
  answer();
  await note.waitFor();
  // The graph above it is not laid out again.
  expect(await height()).toBe(before);
  await page.context().close();
  stored.close();
});

test('the preview of a large topology has the colours of its last report', async () => {
  const nodes = Array.from({ length: 200 }, (_, i) => ({
    id: `n${i}`,
    name: `N ${i}`,
    kind: 'tcp',
  }));
  const run = {
    runId: 'r',
    kind: 'diagnosis',
    status: 'completed',
    reasons: [],
    createdAt: '2026-01-01T00:00:00Z',
    endedAt: '2026-01-01T00:00:01Z',
    report: {
      verdict: 'root_cause_found',
      headline: 'Broken.',
      findings: [],
      unchecked: [],
      root_causes: [{ node: 'n7', title: 'down', confidence: 0.9, evidence: [] }],
      nodes: [{ node: 'n1', state: 'healthy' }],
      counts: { critical: 1, warning: 0, info: 0 },
    },
  };
  const stored = await LogServer.start({
    'GET topologies': { items: [{ ...topology, nodeCount: 200 }] },
    'GET topologies/1': { ...topology, nodes, updatedAt: '2026-01-01T00:00:00Z' },
    'GET executions': { items: [run], nextCursor: null },
    'GET executions/r': run,
  });
  const page = await browser.newPage({ viewport: WIDE });
  await page.goto(`${stored.origin}/console/topologies`);
  await page.locator('.is-tiles .h-root').waitFor({ state: 'attached' });
  const [root, ok] = await page.evaluate<string[]>(
    `['.h-root', '.h-ok'].map((health) =>
      getComputedStyle(document.querySelector('.is-tiles ' + health)).stroke)`,
  );
  const [crimson, green] = await page.evaluate<string[]>(`['--root', '--ok'].map((token) => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = 'var(' + token + ')';
    return getComputedStyle(probe).color;
  })`);
  expect([root, ok]).toEqual([crimson, green]);
  await page.context().close();
  stored.close();
});
