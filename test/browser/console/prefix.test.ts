import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { makeApiKey } from '../../../src/http/access/api-key.js';
import { hasNginx, startNginx, type Nginx } from '../../support/programs/nginx-program.js';
import { ConsoleScene } from './console-scene.js';

/** A page has six connections to nginx, and nginx as many to the service. */
const CONNECTIONS = 64;
const PREFIX = '/ops/consilium';

(hasNginx() ? describe : describe.skip)('behind a path prefix of nginx', () => {
  let folder: string;
  let scene: ConsoleScene;
  let nginx: Nginx;
  let topology: number;
  const { key } = makeApiKey();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'consilium-prefix-'));
    const file = join(folder, 'key');
    await writeFile(file, key);
    scene = await ConsoleScene.open({ AUTH: 'keys', AUTH_BOOTSTRAP_KEY_FILE: file });
    topology = await scene.brokenShop({ authorization: `Bearer ${key}` });
    // As in docs/console.md.
    nginx = await startNginx(
      `location ${PREFIX}/ {
         proxy_pass ${scene.api.url}/;
         proxy_set_header Host $http_host;
         proxy_http_version 1.1;
         proxy_read_timeout 1h;
       }`,
      CONNECTIONS,
    );
  });
  afterAll(async () => {
    await nginx?.stop();
    await scene?.close();
    await rm(folder, { recursive: true });
  });

  const pathOf = (page: Page): string => new URL(page.url()).pathname;

  test('signs in, starts a run, follows it live, and opens links to it', async () => {
    const { page, problems } = await scene.page('', { origin: `${nginx.url}${PREFIX}` });
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    await page.getByLabel('API key or access token').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    expect(pathOf(page)).toBe(`${PREFIX}/console/runs`);
    await page.getByRole('link', { name: 'Diagnose' }).first().click();
    await page.getByLabel('What is wrong').fill('No customer can pay.');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(new RegExp(`${PREFIX}/console/runs/[0-9a-f-]{36}$`));
    await page.locator('h1', { hasText: 'The bank' }).waitFor();
    await page.getByText('The end').waitFor();
    const run = pathOf(page);
    await page.goto(`${nginx.url}${run}?node=bank`);
    await page.locator('.nodeview').waitFor();
    await page.reload();
    await page.locator('.nodeview').waitFor();
    await page.goto(`${nginx.url}${PREFIX}/console/topologies/${topology}`);
    await page.locator('.editor').waitFor();
    expect(paths.filter((path) => !path.startsWith(`${PREFIX}/`))).toEqual([]);
    // Those are of before the sign-in.
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
    await page.context().close();
  });
});
