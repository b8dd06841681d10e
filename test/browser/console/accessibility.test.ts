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

it('11: the graph of a topology is seen on a phone, its text behind a button', async () => {
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

it('11: what is pressed on a run has 24 pixels', async () => {
  const { page } = await scene.page(`/runs/${runId}`);
  await page.locator('.cause').waitFor();
  const small = await page.evaluate<string[]>(`
    [...document.querySelectorAll('.hero button, .hero a, .wrow button.fold')].flatMap((target) => {
      const { width, height } = target.getBoundingClientRect();
      return width < 24 || height < 24 ? [target.className + ' ' + width + ' x ' + height] : [];
    })`);
  expect(small).toEqual([]);
  for (const targets of ['.hero .pathnode', '.hero .hero-topo', '.wrow button.fold'])
    expect([targets, (await page.locator(targets).count()) > 0]).toEqual([targets, true]);
  await page.context().close();
});

/** A zoom of 200 % halves the pixels of a page, and those of a narrow page are 320. */
it.each([
  ['720 x 450', { width: 720, height: 450 }],
  ['320 x 640', { width: 320, height: 640 }],
])('11: loses nothing at %s', async (_, viewport) => {
  for (const [name, path] of PAGES) {
    const { page } = await scene.page(path(), { viewport });
    await page.locator('#main').first().waitFor();
    await page.waitForLoadState('networkidle');
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect([name, width]).toEqual([name, viewport.width]);
    await page.context().close();
  }
  const { page } = await scene.page(`/runs/${runId}`, { viewport });
  await page.locator('.cause').waitFor();
  const tabs = page.getByRole('navigation', { name: 'Parts of the run' });
  for (const [tab, part] of [
    ['Graph', '.gnode.h-root'],
    ['Timeline', '.wrow'],
    ['Log', '.line'],
    ['Ask', '#ask'],
    ['Report', '.cause'],
  ] as const) {
    await tabs.getByRole('button', { name: tab, exact: true }).click();
    await page.locator(part).first().waitFor();
  }
  await page.context().close();
});

it.each(['dark', 'light'] as const)(
  '11: a thread with branches, an answer, a replay, and a text with faults are sound (%s)',
  async (colorScheme) => {
    const { page } = await scene.page(`/runs/${runId}`, { colorScheme, reducedMotion: 'reduce' });
    await page.locator('.cause').waitFor();
    await page.keyboard.press('a');
    await page.locator('#ask').fill('What was checked?');
    await page.keyboard.press('Enter');
    await page.locator('.said').first().waitFor();
    expect(['answer', await violationsOn(page)]).toEqual(['answer', []]);
    await page.goto(`${scene.api.url}/console/runs/${runId}?at=8`);
    await page.getByText('As it was at #8').waitFor();
    expect(['replay', await violationsOn(page)]).toEqual(['replay', []]);
    await page.goto(`${scene.api.url}/console/conversations/new`);
    for (const [i, question] of ['What was checked?', 'Which nodes are healthy?'].entries()) {
      await page.getByLabel('Question to the oracle').fill(question);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'go on from here' }).nth(i).waitFor();
    }
    await page.getByRole('button', { name: 'go on from here' }).first().click();
    await page.getByLabel('Question to the oracle').fill('Since when?');
    await page.keyboard.press('Enter');
    await page.getByText('2 of 2').waitFor();
    expect(['thread', await violationsOn(page)]).toEqual(['thread', []]);
    await page.goto(`${scene.api.url}/console/topologies/new`);
    await page.getByLabel('Topology as YAML').fill('id: 60\nname: Faulty\nnodes:');
    await page.getByText('1 fault', { exact: true }).waitFor();
    expect(['faults', await violationsOn(page)]).toEqual(['faults', []]);
    await page.context().close();
  },
);
