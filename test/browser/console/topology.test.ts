import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { ConsoleScene } from './console-scene.js';

let scene: ConsoleScene;
let topologyId: number;
beforeAll(async () => {
  scene = await ConsoleScene.open();
  topologyId = await scene.brokenShop();
});
afterAll(() => scene?.close());

/** Replaces the text as a person does. `fill` selects and inserts before the editor sees either. */
async function write(editor: Locator, text: string): Promise<void> {
  await editor.press('Control+A');
  await editor.page().keyboard.insertText(text);
}

test('7: six faults of a topology stand in their lines; a syntax fault makes no request; Save raises the version', async () => {
  const { page, problems } = await scene.page(`/topologies/${topologyId}`);
  const editor = page.getByLabel('Topology as YAML');
  await editor.getByText('The bank').first().waitFor();
  const text = (await editor.innerText()).replaceAll('\u00a0', ' ');
  const node = (id: string, rest: string) => `  - { id: ${id}, name: ${id}, kind: tcp, ${rest} }`;
  const wrong = [
    `id: ${topologyId}`,
    'name: ""',
    'nodes:',
    node('a', 'endpoint: nowhere'),
    node('b', 'endpoint: "127.0.0.1:1", dependsOn: [ c ]'),
    node('d', 'endpoint: "127.0.0.1:99999"'),
    node('e', 'endpoint: 7'),
    node('f', 'endpoint: "127.0.0.1:1", dependsOn: 5'),
  ];
  await write(editor, wrong.join('\n'));
  // They are there before Save: the text is checked as it is written.
  await page.getByText('6 faults', { exact: true }).waitFor();
  const lines = await page.locator('.faultlist li .mute').allInnerTexts();
  expect(lines).toEqual([2, 4, 5, 6, 7, 8].map((line) => `line ${line}`));
  expect(await page.locator('.cm-fault').count()).toBe(6);
  await write(editor, 'id: 60\nname: Faulty\nnodes:');
  await page.getByText('1 fault', { exact: true }).waitFor();
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  for (const text of ['id', 'nodes: [']) {
    await write(editor, text);
    await page.getByText('This is not a topology yet').waitFor();
  }
  expect(asked.filter((url) => url.includes('/topologies/check'))).toEqual([]);
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Undo' }).click();
  await write(editor, text.replace('The mail', 'The post'));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved as version 2').waitFor();
  // Neither was refused: a check whose answer is faults is no error of the browser.
  expect(problems).toEqual([]);
  await page.context().close();
});

test('7: a text that is not saved is not left without a question', async () => {
  const { page, problems } = await scene.page('/topologies');
  await page.locator(`a[href$="/topologies/${topologyId}"]`).first().click();
  const editor = page.getByLabel('Topology as YAML');
  await editor.getByText('The bank').first().waitFor();
  await editor.press('Control+A');
  await editor.pressSequentially('# mine');
  const away = page.getByRole('link', { name: 'Operations' });
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await away.click();
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await editor.innerText()).toContain('# mine');
  await page.goBack();
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await page.waitForURL(/topologies\/\d+$/);
  await away.click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Operations' }).waitFor();
  expect(problems).toEqual([]);
  await page.context().close();
});

test('7: a version that cannot be loaded is said, and can be tried again', async () => {
  const { page } = await scene.page(`/topologies/${topologyId}`);
  const editor = page.getByLabel('Topology as YAML');
  await editor.getByText('The post').first().waitFor();
  const [versions, first] = ['**/topologies/*/versions', '**/topologies/*?version=1'];
  const refused = { status: 503, contentType: 'application/json', body: '{}' };
  await page.route(first, (route) => route.fulfill(refused));
  await page.getByLabel('Load a version into the editor').selectOption('1');
  const alert = page.getByRole('alert');
  await alert.getByText('Version 1 cannot be read').waitFor();
  expect(await editor.innerText()).toContain('The post');
  await page.unroute(first);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await editor.getByText('The mail').first().waitFor();
  expect(await alert.count()).toBe(0);
  await page.route(versions, (route) => route.fulfill(refused));
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.reload();
  await alert.getByText('The earlier versions cannot be read').waitFor();
  await page.unroute(versions);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByLabel('Load a version into the editor').waitFor();
  await page.context().close();
});

test('7: what is typed goes to the editor, and not to the keys of the console', async () => {
  const { page } = await scene.page('/topologies/new');
  const editor = page.getByLabel('Topology as YAML');
  await editor.waitFor();
  const theme = () => page.locator('html').getAttribute('data-theme');
  const before = await theme();
  await editor.press('Control+A');
  await editor.pressSequentially('t? gr h');
  const typed = (await editor.textContent()) ?? '';
  expect(typed.replaceAll('\u00a0', ' ')).toContain('t? gr h');
  expect(await theme()).toBe(before);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.context().close();
});
