import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ModelScene } from '../../support/model-scene.js';
import { answer, begin } from '../../support/provider-server.js';
import { until } from '../../support/until.js';
import { ConsoleScene } from './console-scene.js';

const models = new ModelScene();
let scene: ConsoleScene;
beforeAll(async () => {
  await models.open(begin({ text: 'Half of an answer' }));
  scene = await ConsoleScene.open(models.hosted());
});
afterAll(async () => {
  await scene?.close();
  await models.close();
});

test('13: Stop ends the answer at the provider, and keeps what was said', async () => {
  const { page, troubles } = await scene.page('/conversations/new');
  await page.getByLabel('Question to the oracle').fill('Is it well?');
  await page.keyboard.press('Enter');
  const said = page.getByText('Half of an answer');
  await said.waitFor();
  await page.getByRole('button', { name: 'Stop the answer' }).click();
  await page.getByText('Stopped. The answer so far is kept.').waitFor();
  await until('the call is given up', () => models.server.open === 0);
  await page.goto(`${scene.api.url}/console/conversations`);
  await page.locator('.conv').first().click();
  await said.waitFor();
  await page.getByText('the answer so far is kept').waitFor();
  expect(troubles).toEqual([]);
  await page.context().close();
});

test('13: the oracle opens a run at an event, as it was at another', async () => {
  const page = `runs/${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}?at=3#5`;
  models.server.script(
    answer({ call: 'navigate_to_page', args: JSON.stringify({ page }) }, { end: 'tool-calls' }),
    answer({ text: 'There it is.' }, { end: 'stop' }),
  );
  const { page: shown } = await scene.page('/conversations/new');
  await shown.getByLabel('Question to the oracle').fill('Where did it begin?');
  await shown.keyboard.press('Enter');
  await shown.waitForURL(`${scene.api.url}/console/${page}`);
  await shown.context().close();
});
