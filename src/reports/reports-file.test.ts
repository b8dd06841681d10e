import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readReportsFile } from './reports-file.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'reports-'))));
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string) {
  const path = join(folder, 'reports.yaml');
  await writeFile(path, text);
  return readReportsFile(path);
}

it('sends nothing without a file, and retries for hours', () => {
  const { destinations, retrySeconds, timeoutSeconds } = readReportsFile(undefined);
  expect([destinations, timeoutSeconds]).toEqual([[], 15]);
  expect(retrySeconds).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000]);
});

it('reads destinations whose addresses and secrets are references', async () => {
  const { destinations, publicUrl } = await read(
    [
      'publicUrl: https://consilium.example/',
      'destinations:',
      '  - { id: hook, kind: webhook, url: "https://x.example/in?a=1", secrets: ["${env:S}"] }',
      '  - { id: slack, kind: slack, url: "${file:/run/secrets/slack}", on: [failed] }',
    ].join('\n'),
  );
  expect(publicUrl).toBe('https://consilium.example');
  expect(destinations).toMatchObject([{ id: 'hook', tenant: 'default' }, { on: ['failed'] }]);
});

it.each([
  ['a webhook without a secret', '{ id: a, kind: webhook, url: "http://x" }', /secrets/],
  ['a credential', '{ id: a, kind: webhook, url: "http://x", secrets: [hunter2] }', /reference/],
  ['credentials in a URL', '{ id: a, kind: chat, url: "http://u:hunter2@x" }', /URL/],
  ['another scheme', '{ id: a, kind: chat, url: "file:///etc/passwd" }', /URL/],
  ['an unknown kind', '{ id: a, kind: fax, url: "http://x" }', /kind/],
  ['an odd id', '{ id: "a.b", kind: chat, url: "http://x" }', /id/],
  [
    'the same id twice',
    '{ id: a, kind: chat, url: "http://x" }, { id: a, kind: chat, url: "http://y" }',
    /unique/,
  ],
])('refuses %s', async (_, destinations, message) => {
  const reading = read(`destinations: [${destinations}]`);
  await expect(reading).rejects.toThrow(message);
  await expect(reading).rejects.not.toThrow(/hunter2/);
});
