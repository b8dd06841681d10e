import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ConsoleScene, violationsOn } from './console-scene.js';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await ConsoleScene.open({ MONTHLY_MESSAGES: '1' });
});
afterAll(() => scene?.close());

test('a message beyond the quota of the month is refused with what was used of it', async () => {
  const { page } = await scene.page('/conversations/new');
  const field = page.getByLabel('Question to the oracle');
  await field.fill('Which topologies are there?');
  await page.keyboard.press('Enter');
  await page.locator('.said').waitFor();
  await page.getByRole('button', { name: 'Stop the answer' }).waitFor({ state: 'detached' });
  await field.fill('And which runs?');
  await page.keyboard.press('Enter');
  const refusal = page.getByRole('alert');
  await refusal.getByText('1 of 1 messages of this month').waitFor();
  expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  expect(await violationsOn(page)).toEqual([]);
  await page.context().close();
});
