import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeApiKey } from '../../../src/http/access/api-key.js';
import { keepScreenshot } from '../screenshot.js';
import { ConsoleScene, violationsOn, WIDE } from './console-scene.js';

let scene: ConsoleScene;
let folder: string;
const { key } = makeApiKey();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-sign-in-'));
  await writeFile(join(folder, 'key'), key);
  const file = join(folder, 'key');
  scene = await ConsoleScene.open({
    AUTH: 'keys',
    AUTH_BOOTSTRAP_KEY_FILE: file,
    FAILED_LOGINS_PER_MINUTE: '3',
  });
});
afterAll(async () => {
  await scene?.close();
  await rm(folder, { recursive: true });
});

test('a person signs in with a key, sees who that is, and signs out', async () => {
  const { page } = await scene.page('/runs');
  const field = page.getByLabel('API key or access token');
  const enter = page.getByRole('button', { name: 'Sign in' });
  await field.waitFor();
  await keepScreenshot(page, 'console-sign-in');
  await page.getByText('An admin makes API keys').waitFor();
  const box = await page.locator('main').boundingBox();
  expect(box?.width).toBe(WIDE.width);
  expect(await violationsOn(page)).toEqual([]);
  await field.fill('csk_wrong');
  await enter.click();
  await page.getByRole('alert').getByText('is not valid here').waitFor();
  await field.fill(key);
  await enter.click();
  const account = page.getByRole('button', { name: 'Sign out bootstrap of default, admin' });
  await account.waitFor();
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  const kept = await page.evaluate<string>(
    'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])',
  );
  expect(kept).not.toContain('csk_');
  expect(kept).not.toContain('__Host-consilium');
  await page.reload();
  await account.click();
  await field.waitFor();
  await page.context().close();
});

test('too many wrong keys are refused with a time to wait', async () => {
  const { page } = await scene.page('/runs');
  const field = page.getByLabel('API key or access token');
  const enter = page.getByRole('button', { name: 'Sign in' });
  await field.waitFor();
  for (let i = 0; i < 4; i++) {
    await field.fill(makeApiKey().key);
    const answered = page.waitForResponse((response) => response.url().endsWith('/auth/session'));
    await enter.click();
    await answered;
  }
  await page
    .getByRole('alert')
    .getByText(/try again in \d+ s/)
    .waitFor();
  await page.context().close();
});
