import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { keepScreenshot } from '../screenshot.js';
import { ConsoleScene, PHONE, violationsOn, WIDE } from './console-scene.js';
import { MOST_KEYS, tabTo } from './tab-to.js';

let scene: ConsoleScene;
let topology: number;
let runId: string;
beforeAll(async () => {
  scene = await ConsoleScene.open();
  topology = await scene.brokenShop();
  ({ runId } = await (await scene.api.trigger(topology)).end());
});
afterAll(() => scene?.close());

/** By name: the path, and what is there when the page is. */
const PAGES: [name: string, path: () => string, ready: string][] = [
  ['runs', () => '/runs', '.rrow .rlink'],
  ['run', () => `/runs/${runId}`, '.gnode.h-root'],
  ['log', () => `/runs/${runId}?view=log#9`, '.event'],
  ['node', () => `/runs/${runId}?node=bank`, '.nodeview'],
  ['diagnose', () => '/diagnose', '.choice.is-on'],
  ['topologies', () => '/topologies', '.tile .minigraph'],
  ['topology', () => '/topologies/new', '.editor'],
  ['stored topology', () => `/topologies/${topology}`, '.gnode.h-root'],
  ['conversations', () => '/conversations/new', '.ask'],
  ['operations', () => '/operations', '.stat'],
  ['settings', () => '/settings', '.limit'],
];

describe.each([
  ['dark', WIDE],
  ['light', WIDE],
  ['dark', PHONE],
  ['light', PHONE],
] as const)('11: in %s at %o', (theme, viewport) => {
  it.each(PAGES)(
    '%s has no finding of axe and nothing beside the screen',
    async (name, path, ready) => {
      const { page } = await scene.page(path(), {
        viewport,
        colorScheme: theme,
        reducedMotion: 'reduce',
      });
      await page.locator(ready).first().waitFor({ state: 'attached' });
      await keepScreenshot(page, `console-${name}-${theme}-${viewport.width}`);
      expect(await violationsOn(page)).toEqual([]);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(viewport.width);
      await page.context().close();
    },
  );
});

it('4: the graph of a topology is seen on a phone, its text behind a button', async () => {
  const { page } = await scene.page(`/topologies/${topology}`, { viewport: PHONE });
  await page.locator('.gnode.h-root').waitFor();
  await page.getByRole('button', { name: 'YAML' }).click();
  await page.locator('.cm-content').waitFor();
  await page.locator('.gnode.h-root').waitFor({ state: 'hidden' });
  await page.context().close();
});

/** Contrast of a colour on a ground, both as CSS says them, by the formula of WCAG. */
const CONTRAST = `([ink, ground]) => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const luminance = (colour) => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((part) =>
      part <= 10.31475 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low, high] = [luminance(ink), luminance(ground)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}`;

it.each(['dark', 'light'] as const)(
  '11: labels of bars, which axe does not see, can be read (%s)',
  async (colorScheme) => {
    const { page } = await scene.page(`/runs/${runId}`, { colorScheme });
    await page.locator('.bar').first().waitFor();
    const pairs = await page.evaluate<string[][]>(`(() => {
      const bars = ['b-tool s-ok', 'b-tool s-warn', 'b-tool s-bad'].map((look) => {
        const bar = document.createElement('i');
        bar.className = 'bar ' + look;
        bar.dataset.l = 'label';
        document.querySelector('.bar').after(bar);
        return [getComputedStyle(bar, '::after').color, getComputedStyle(bar).backgroundColor];
      });
      const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      return [...bars, [token('--sink'), token('--model')], [token('--t1'), token('--model-soft')]];
    })()`);
    for (const pair of pairs) {
      const contrast = await page.evaluate<number>(`(${CONTRAST})(${JSON.stringify(pair)})`);
      if (contrast < 4.5) throw new Error(`${pair.join(' on ')}: ${contrast.toFixed(2)}`);
    }
    expect(pairs).toHaveLength(5);
    await page.context().close();
  },
);

it('12: a link to the log opens the log on a narrow page, and keys change its part', async () => {
  const { page } = await scene.page(`/runs/${runId}?view=log`, { viewport: PHONE });
  await page.locator('.line').first().waitFor();
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  await page.locator('.cause').waitFor();
  await page.keyboard.press('p');
  await page.locator('.line').first().waitFor();
  await page.keyboard.press('1');
  await page.locator('.wrow').first().waitFor();
  await page.keyboard.press('r');
  await page.locator('.cause').waitFor();
  await page.context().close();
});

it.each(['dark', 'light'] as const)(
  '11: what opens over a page is sound (%s)',
  async (colorScheme) => {
    const { page } = await scene.page(`/runs/${runId}`, { colorScheme, reducedMotion: 'reduce' });
    await page.locator('.cause').waitFor();
    for (const key of ['?', 'Control+k']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      expect([key, await violationsOn(page)]).toEqual([key, []]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('menu').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.context().close();
  },
);

it('11: reads, replays and asks by keyboard alone', async () => {
  const { page } = await scene.page('/runs');
  await page.locator('.rrow .rlink').first().waitFor();
  await page.keyboard.press('Enter');
  // The list says "Root cause found", too: the keys of the run work once its report is there.
  await page.locator('.cause').first().waitFor();
  await page.keyboard.press(']');
  await page.locator('.event').waitFor();
  await page.keyboard.press('Home');
  await page.getByText('As it was at #1', { exact: true }).waitFor();
  await page.keyboard.press('l');
  await page.getByText('The end').waitFor();
  await page.keyboard.press('a');
  await page.locator('#ask:focus').waitFor();
  await page.keyboard.type('What was checked?');
  await page.keyboard.press('Enter');
  await page.locator('.said').first().waitFor();
  await page.context().close();
});

it('11: starts by keyboard alone', async () => {
  const web = await httpTarget(scene.scene.targets, healthy);
  const id = await scene.api.store(topologyOf({ web }));
  const { page } = await scene.page('/runs');
  await page.locator('.rrow .rlink').first().waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.locator('textarea:focus').waitFor();
  await page.keyboard.type('All is slow.');
  await tabTo(page, 'input[name=topology]');
  const chosen = page.locator('.choice.is-on', { hasText: `Topology ${id}` });
  for (let i = 0; i < MOST_KEYS && !(await chosen.isVisible()); i++)
    await page.keyboard.press('ArrowDown');
  await tabTo(page, '.btn-big');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  await page.getByRole('link', { name: `Topology ${id}` }).waitFor();
  await page.context().close();
});

it('11: loses nothing at 320 pixels', async () => {
  const { page } = await scene.page(`/runs/${runId}`, { viewport: { width: 320, height: 640 } });
  await page.locator('.cause').waitFor();
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
    320,
  );
  await page.context().close();
});
