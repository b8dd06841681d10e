import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeApiKey } from '../../../src/http/access/api-key.js';
import type { Api } from '../../support/api.js';
import { startCommandWith } from '../../support/processes/command.js';
import { closedPort } from '../../support/loopback.js';
import { Scene } from '../../support/scene.js';

let scene: Scene;
let api: Api;
let folder: string;
const { key } = makeApiKey();
beforeAll(async () => {
  scene = new Scene();
  folder = await mkdtemp(join(tmpdir(), 'consilium-keys-'));
  await writeFile(join(folder, 'key'), key);
  api = await scene.service({ AUTH: 'keys', AUTH_BOOTSTRAP_KEY_FILE: join(folder, 'key') });
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
});

const keys = (...args: string[]) =>
  startCommandWith({ CONSILIUM_API_KEY: key }, 'src/cli/keys.ts', ...args).ended;

describe('consilium keys', () => {
  it('creates, lists, rotates and revokes a key', async () => {
    const server = ['--server', api.url];
    const made = await keys('create', '--name', 'ci', '--role', 'viewer', '--days', '9', ...server);
    expect([made.code, made.stderr, made.stdout]).toEqual([0, '', expect.stringMatching(/^csk_/)]);
    const { stdout } = await keys('list', ...server);
    const [id = ''] = /^\S+(?=  viewer)/m.exec(stdout) ?? [];
    expect(stdout).toMatch(/^\S+  viewer    ci .* never used  expires \d{4}-/m);
    expect(stdout).toMatch(/^\S+  admin     bootstrap .* used \d{4}-/m);
    expect((await keys('rotate', id, ...server)).stdout).toMatch(/^csk_/);
    const after = (await keys('list', ...server)).stdout;
    const [next = ''] = /^\S+(?=  viewer .*(?<!revoked \S+)$)/m.exec(after) ?? [];
    expect(after).toMatch(new RegExp(`^${id} .*revoked \\d{4}-`, 'm'));
    const dayOf = (list: string, of: string) =>
      new RegExp(`^${of} .* expires (\\S+)$`, 'm').exec(list)?.[1];
    const days = (from: string, to = '') => (Date.parse(to) - Date.parse(from)) / 86_400_000;
    const [created = ''] = new RegExp(`(?<=^${next} .* created )\\S+`, 'm').exec(after) ?? [];
    expect(days(created, dayOf(after, next))).toBe(9);
    const again = await keys('rotate', id, ...server);
    expect([again.code, again.stderr]).toEqual([
      2,
      `The API key ${id} is revoked. \`consilium keys create\` makes another one.\n`,
    ]);
    expect((await keys('list', ...server)).stdout).toBe(after);
    const revoked = await keys('revoke', next, ...server);
    expect(revoked.stdout).toBe(
      `The API key ${next} is revoked. Processes that know it accept it for up to 5 s.\n`,
    );
  });

  it.each([
    [
      [],
      /^Name what to do: allowed: make, create, list, rotate, revoke\. `consilium keys --help` describes them\.\n$/,
    ],
    [['lst'], /^There is no command "keys lst": did you mean "list"\? allowed: make, [^\n]*\n$/],
    [['revoke'], /^The id of the API key is missing: consilium keys revoke ID\./],
    [['rotate', 'x'], /^There is no API key x\./],
    [['create', '--role', 'viewer'], /^--name is missing: consilium keys create --name NAME/],
    [['create', '--days', '-1'], /^--days needs a value; .* --days=VALUE/],
    [
      ['create', '--name', 'a', '--role', 'viewer', '--days', 'x'],
      /^--days must be a number of days, as in --days 90; not "x"/,
    ],
    [
      ['create', '--name', 'a', '--role', 'king'],
      /^The request is not valid\n {2}role: must be one of viewer, /,
    ],
  ])('says what is wrong with %j', async (args, message) => {
    const { code, stdout, stderr } = await keys(...args, '--server', api.url);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  });

  it('says that no service answers', async () => {
    const server = `http://127.0.0.1:${await closedPort()}`;
    const { code, stderr } = await keys('list', '--server', server);
    expect([code, stderr]).toEqual([
      2,
      `No answer from ${server}: is the service running there?\n`,
    ]);
  });
});
