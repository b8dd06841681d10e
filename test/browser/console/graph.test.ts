import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.js';
import { WIDE } from './console-scene.js';
import { HEAD, LogServer, type Draft } from './log-server.js';

const NODES = 200;
const UNHEALTHY = 24;
const ids = Array.from({ length: NODES }, (_, i) => i);
const idOf = (i: number): string => `n${i}`;
const RTL_NAME = 'שירות תשלומים (2)';

/**
 * A run of 200 nodes in rows of eight, each of which needs the one at its right; the first ones are
 * unhealthy.
 */
const LARGE: Draft[] = [
  {
    name: 'lifecycle.started',
    data: { kind: 'diagnosis', topology_id: 1, topology_name: 'Large', user_message: 'Slow.' },
  },
  {
    name: 'system.topology',
    data: {
      hierarchy: {
        topology_id: 1,
        version: 1,
        teams: [],
        global_supervisor: { agent_id: '1', agent_name: 'Head' },
        nodes: ids.map((i) => ({
          id: idOf(i),
          kind: 'service',
          name: i === 0 ? RTL_NAME : `checkout payments ${i}`,
          depends_on: i % 8 === 7 ? [] : [idOf(i + 1)],
        })),
      },
    },
  },
  {
    name: 'lifecycle.completed',
    data: {
      summary: 'Broken.',
      partial: false,
      reasons: [],
      report: {
        verdict: 'issues_found',
        headline: 'Broken.',
        root_causes: [],
        unchecked: [],
        findings: ids.slice(0, UNHEALTHY).map((i) => ({
          node: idOf(i),
          severity: i % 3 === 0 ? 'warning' : 'critical',
          title: 'answers 500',
          detail: '',
          evidence: [],
        })),
        counts: { critical: 16, warning: 8, info: 0 },
      },
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    },
    agent: HEAD,
  },
];

let browser: Browser;
let server: LogServer;
beforeAll(async () => {
  browser = await startChromium();
  server = await LogServer.start();
  server.push(...LARGE);
});
afterAll(async () => {
  server?.close();
  await browser?.close();
});

async function openLarge(): Promise<Page> {
  const page = await browser.newPage({ viewport: WIDE, reducedMotion: 'reduce' });
  await page.goto(server.url());
  await page.getByText('The end').waitFor();
  await page.locator('.graph.is-far .is-named').first().waitFor();
  return page;
}

/** Names below cards, and the pairs of which one covers the other. */
const NAMES = `(() => {
  const boxes = [...document.querySelectorAll('.graph .gnode-text')]
    .filter((name) => getComputedStyle(name).display !== 'none')
    .map((name) => ({ text: name.textContent, box: name.getBoundingClientRect() }));
  const covered = boxes.flatMap(({ text, box }, i) => boxes.slice(0, i)
    .filter(({ box: other }) => box.left < other.right && other.left < box.right
      && box.top < other.bottom && other.top < box.bottom)
    .map((other) => text + ' and ' + other.text));
  return { shown: boxes.length, covered };
})()`;

interface Names {
  shown: number;
  covered: string[];
}

test('no name covers another one in a graph of 200 nodes, as far away as it is', async () => {
  const page = await openLarge();
  const far = await page.evaluate<Names>(NAMES);
  expect(far.covered).toEqual([]);
  expect(far.shown).toBeGreaterThan(0);
  expect(far.shown).toBeLessThan(UNHEALTHY);
  for (let nearer = 0; nearer < 3; nearer++) {
    const scale = await page.locator('.graph').getAttribute('style');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.locator(`.graph.is-far:not([style="${scale}"])`).waitFor();
    expect((await page.evaluate<Names>(NAMES)).covered).toEqual([]);
  }
  await page.context().close();
});

test('a name that is written from right to left does not turn what stands beside it', async () => {
  const page = await openLarge();
  await page.locator('.report bdi', { hasText: RTL_NAME }).first().waitFor();
  await page.context().close();
});
