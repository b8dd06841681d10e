import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readAlertsFile } from './alerts-file.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'alerts-'))));
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string) {
  const path = join(folder, 'alerts.yaml');
  await writeFile(path, text);
  return readAlertsFile(path);
}

it('has defaults without a file and for an empty one', async () => {
  const nothing = { secrets: {}, stormSeconds: 60, quietMinutes: 30, routes: [] };
  expect(readAlertsFile(undefined)).toEqual(nothing);
  expect(await read('')).toEqual(nothing);
});

it('reads routes and references to secrets', async () => {
  const file = await read(
    [
      'secrets: { pagerduty: ["${env:PD_SECRET}", "${file:/run/secrets/pd}"] }',
      'quietMinutes: 0',
      'routes: [{ match: { team: "pay*" }, topology: 3, teams: [Shop], cancelOnResolve: true }]',
    ].join('\n'),
  );
  expect(file.routes).toEqual([
    { match: { team: 'pay*' }, topology: 3, teams: ['Shop'], cancelOnResolve: true },
  ]);
});

it('names every fault with its line, and repeats no credential', async () => {
  const text = 'secrets:\n  generic: [hunter2]\nroutes:\n  - topology: 1\n    match: {}\nmore: 1\n';
  await expect(read(text)).rejects.toThrow(/alerts\.yaml:2 .*reference/);
  await expect(read(text)).rejects.toThrow(/alerts\.yaml:5 .*at least one label/);
  await expect(read(text)).rejects.toThrow(/more/);
  await expect(read(text)).rejects.not.toThrow(/hunter2/);
  await expect(read('secrets: { alertmanager: ["${env:A}"] }')).rejects.toThrow(/alertmanager/);
  expect(() => readAlertsFile(join(folder, 'missing'))).toThrow(
    /ALERTS_FILE=.*missing there is no such file/,
  );
});
