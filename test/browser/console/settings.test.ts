import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ConsoleScene } from './console-scene.js';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await ConsoleScene.open();
});
afterAll(() => scene?.close());

test('a limit that was saved is shown as saved, and after a reload', async () => {
  const { page, problems } = await scene.page('/settings');
  const turns = page.getByLabel('Turns of one agent');
  const bounds = page.getByText('1 to 50; the default is 15');
  await turns.fill('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  expect(await turns.inputValue()).toBe('7');
  await page.reload();
  await bounds.waitFor();
  expect(await turns.inputValue()).toBe('7');
  await page.getByRole('button', { name: 'Back to the defaults' }).click();
  await bounds.waitFor({ state: 'detached' });
  expect(await turns.inputValue()).toBe('15');
  expect(problems).toEqual([]);
  await page.context().close();
});
