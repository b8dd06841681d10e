import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.js';
import { PHONE, violationsOn, WIDE } from './console-scene.js';
import { runOf } from './graph-run.js';
import { LogServer, type Draft } from './log-server.js';

const RTL_NAME = 'שירות תשלומים (2)';

/** Rows of four nodes, each of which needs the one at its right. */
const FAR = runOf({
  nodes: 40,
  unhealthy: 24,
  needs: (i) => (i % 4 === 3 ? [] : [i + 1]),
  nameOf: (i) => (i === 0 ? RTL_NAME : `checkout payments ${i}`),
});
const others = (i: number): number[] => Array.from({ length: 99 }, (_, k) => 5 + i * 99 + k);
/** A line of five nodes down to a cause, each of which needs 99 others that are healthy. */
const LARGE = runOf({
  nodes: 500,
  unhealthy: 5,
  causes: [4],
  needs: (i) => (i > 4 ? [] : [...(i < 4 ? [i + 1] : []), ...others(i)]),
});
/** Three causes beside each other. */
const CAUSES = runOf({
  nodes: 4,
  unhealthy: 4,
  causes: [1, 2, 3],
  needs: (i) => (i === 0 ? [1, 2, 3] : []),
});

const NAMES_OF_SHOP = [
  'storefront',
  'checkout',
  'catalog',
  'payments',
  'pricing',
  'royalties',
  'db',
];
const NEEDS = [[1, 2], [3, 4], [6], [], [6], [6], []];
/** Five ranks with four nodes in one of them. */
const BOOKSHOP = runOf({
  nodes: 7,
  unhealthy: 7,
  causes: [5],
  needs: (i) => NEEDS[i] ?? [],
  nameOf: (i) => NAMES_OF_SHOP[i] ?? '',
  moved: 'db_connections_in_use',
});

let browser: Browser;
const servers: LogServer[] = [];
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(async () => {
  for (const server of servers) server.close();
  await browser?.close();
});

async function open(run: Draft[], viewport = WIDE): Promise<Page> {
  const server = await LogServer.start();
  servers.push(server);
  server.push(...run);
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
  await page.goto(server.url());
  await page.getByText('The end').waitFor({ state: 'attached' });
  return page;
}

async function openFar(): Promise<Page> {
  const page = await open(FAR);
  await page.locator('.graph.is-far .is-named').first().waitFor();
  return page;
}

/** Names below cards, and the pairs of which one covers the other. */
const NAMES = `(() => {
  const boxes = [...document.querySelectorAll('.graph .gnode-name')]
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

test('no name covers another one in a graph of 40 nodes, as far away as it is', async () => {
  const page = await openFar();
  const far = await page.evaluate<Names>(NAMES);
  expect(far.covered).toEqual([]);
  expect(far.shown).toBeGreaterThan(0);
  expect(far.shown).toBeLessThan(24);
  for (let nearer = 0; nearer < 1; nearer++) {
    const scale = await page.locator('.graph').getAttribute('style');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.locator(`.graph.is-far:not([style="${scale}"])`).waitFor();
    expect((await page.evaluate<Names>(NAMES)).covered).toEqual([]);
  }
  await page.context().close();
});

test('a name that is written from right to left does not turn what stands beside it', async () => {
  const page = await openFar();
  await page.locator('.report bdi', { hasText: RTL_NAME }).first().waitFor();
  await page.context().close();
});

interface Card {
  name: string;
  box: { left: number; right: number; top: number; bottom: number };
  size: number;
}

/** The cards that are in the panel as a whole, with the size of the letters of their names. */
const CARDS = `(() => {
  const panel = document.querySelector('.graph').getBoundingClientRect();
  const zoom = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform).a;
  return [...document.querySelectorAll('.gnode')].map((card) => {
    const name = card.querySelector('.gnode-name');
    const size = parseFloat(getComputedStyle(name).fontSize) * zoom;
    return { name: name.textContent, box: card.getBoundingClientRect().toJSON(), size };
  }).filter(({ box }) => box.left >= panel.left && box.right <= panel.right
    && box.top >= panel.top && box.bottom <= panel.bottom);
})()`;

test.each([WIDE, { width: 1024, height: 768 }, PHONE])(
  'of 500 nodes the path is drawn so that it can be read, and the others are counted (%o)',
  async (viewport) => {
    const page = await open(LARGE, viewport);
    if (viewport === PHONE) await page.getByRole('button', { name: 'Graph', exact: true }).click();
    await page.locator('.gnode.h-root').waitFor();
    const cards = await page.evaluate<Card[]>(CARDS);
    const names = cards.map(({ name }) => name);
    for (let i = 0; i < 5; i++) expect(names).toContain(`checkout payments ${i}`);
    for (const { size } of cards) expect(size).toBeGreaterThanOrEqual(10.9);
    const drawn = await page.locator('.gnode').count();
    await page.getByText(`${500 - drawn} more nodes`, { exact: true }).waitFor();
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(
      2_500,
    );
    await page.context().close();
  },
);

test('a group of nodes is opened, and a node of it is drawn with its neighbours', async () => {
  const page = await open(LARGE);
  const group = page.getByRole('button', { name: /^Layer 5/ });
  await group.click();
  expect(await group.getAttribute('aria-expanded')).toBe('true');
  await page.getByRole('button', { name: /^checkout payments 390/ }).click();
  await page.locator('.gnode.is-selected', { hasText: 'checkout payments 390' }).waitFor();
  await page.locator('.nodeview', { hasText: 'checkout payments 390' }).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await page.context().close();
});

test('cards and tags of causes beside each other do not cover each other', async () => {
  const page = await open(CAUSES);
  await page.locator('.gnode.h-root').nth(2).waitFor();
  const covered = await page.evaluate<string[]>(`(() => {
    const parts = [...document.querySelectorAll('.gnode')].map((card) => ({
      id: card.querySelector('.gnode-name').textContent,
      boxes: [card, ...card.querySelectorAll('.gnode-tag')].map((one) => one.getBoundingClientRect()),
    }));
    return parts.flatMap((one, i) => parts.slice(i + 1).filter((other) =>
      one.boxes.some((a) => other.boxes.some((b) => a.left < b.right && b.left < a.right
        && a.top < b.bottom && b.top < a.bottom))).map((other) => one.id + ' and ' + other.id));
  })()`);
  expect(covered).toEqual([]);
  await page.context().close();
});

/** Names and texts that leave their card or are cut or covered by a tag. */
const FAULTS = `(() => {
  const within = (inner, outer) => inner.top >= outer.top + 2 && inner.bottom <= outer.bottom - 2
    && inner.left >= outer.left && inner.right <= outer.right;
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  const tags = [...document.querySelectorAll('.gnode-tag')].map((tag) => tag.getBoundingClientRect());
  return [...document.querySelectorAll('.gnode')].flatMap((card) => {
    const outer = card.getBoundingClientRect();
    return [...card.querySelectorAll('.gnode-name, .gnode-fact')].flatMap((text) => {
      const box = text.getBoundingClientRect();
      return [
        !within(box, outer) && 'outside: ' + text.textContent,
        text.scrollHeight > text.clientHeight + 1 && 'cut: ' + text.textContent,
        !tags.every((tag) => apart(tag, box)) && 'covered: ' + text.textContent,
      ].filter(Boolean);
    });
  });
})()`;

test.each([{ width: 1024, height: 768 }, PHONE])(
  'cards of three lines have room for them, and their tags cover no text (%o)',
  async (viewport) => {
    const page = await open(BOOKSHOP, viewport);
    if (viewport === PHONE) await page.getByRole('button', { name: 'Graph', exact: true }).click();
    await page.locator('.gnode.h-root').waitFor();
    await page.locator('.gnode-fact', { hasText: 'db_connections_in_use' }).first().waitFor();
    expect(await page.evaluate<string[]>(FAULTS)).toEqual([]);
    await page.context().close();
  },
);

test('edges of an upright graph go from below a card to above another one', async () => {
  const page = await open(BOOKSHOP, PHONE);
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  await page.locator('.gnode.h-root').waitFor();
  const [edge, card] = await page.evaluate<[number, number]>(`(() => {
    const path = document.querySelector('[data-id="n0>n1"] path');
    const start = path.getPointAtLength(0).matrixTransform(path.getScreenCTM());
    return [start.y, document.querySelector('.gnode').getBoundingClientRect().bottom];
  })()`);
  expect(Math.abs(edge - card)).toBeLessThan(3);
  await page.context().close();
});

test('a node is said to depend on others by their names', async () => {
  const page = await open(CAUSES);
  await page
    .getByRole('button', { name: /depends on checkout payments 1, checkout payments 2/ })
    .waitFor();
  await page.context().close();
});
