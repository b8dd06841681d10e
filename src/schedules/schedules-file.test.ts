import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readSchedulesFile } from './schedules-file.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'schedules-'))));
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string) {
  const path = join(folder, 'schedules.yaml');
  await writeFile(path, text);
  return readSchedulesFile(path);
}

it('reads schedules, and none without a file', async () => {
  expect(readSchedulesFile(undefined)).toEqual({ schedules: [] });
  const { schedules } = await read('schedules: [{ id: a, cron: "0 3 * * 1-5", topology: 7 }]');
  expect(schedules).toEqual([
    {
      id: 'a',
      cron: '0 3 * * 1-5',
      topology: 7,
      timezone: 'UTC',
      tenant: 'default',
      message: expect.any(String),
    },
  ]);
});

it.each([
  ['another text', '{ id: a, cron: daily, topology: 1 }', /schedules\.yaml:1 .*cron expression/],
  ['a minute that does not exist', '{ id: a, cron: "61 * * * *", topology: 1 }', /cron/],
  ['four fields', '{ id: a, cron: "* * * *", topology: 1 }', /cron/],
  ['an unknown zone', '{ id: a, cron: "* * * * *", timezone: Mars, topology: 1 }', /time zone/],
  ['no topology', '{ id: a, cron: "* * * * *" }', /topology/],
  [
    'the same id twice',
    '{ id: a, cron: "* * * * *", topology: 1 }, { id: a, cron: "* * * * *", topology: 1 }',
    /unique/,
  ],
])('refuses %s', async (_, schedules, message) =>
  expect(read(`schedules: [${schedules}]`)).rejects.toThrow(message),
);
