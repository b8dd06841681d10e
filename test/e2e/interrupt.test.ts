import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startCommandWith, untilNothingIsLeft } from '../support/command.js';
import { Api } from '../support/api.js';
import { Loopback } from '../support/loopback.js';
import { until } from '../support/until.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-test-'));
  // A Redis that starts and never answers.
  const program = join(folder, 'redis-server');
  await writeFile(program, '#!/bin/sh\ntouch "$MARK_FILE"\nexec sleep 600\n');
  await chmod(program, 0o755);
  const node = 'nodes: [{ id: a, name: A, kind: tcp, endpoint: "127.0.0.1:9" }]';
  await writeFile(join(folder, 'shop.yaml'), `id: 7\nname: Shop\n${node}\n`);
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ['src/main.ts', [], 130],
  ['src/cli/diagnose.ts', ['shop.yaml'], 2],
  ['src/cli/demo.ts', [], 130],
])('%s stops at once at Ctrl-C while it starts, and leaves nothing', async (file, args, code) => {
  const mark = join(folder, `${file.replaceAll('/', '-')}.started`);
  const env = { PATH: `${folder}:${process.env['PATH']}`, MARK_FILE: mark, DATA_DIR: folder };
  const paths = args.map((name) => join(folder, name));
  const command = startCommandWith(env, file, ...paths);
  await until('its Redis was started', () => existsSync(mark));
  command.child.kill('SIGINT');
  const ended = await command.ended;
  expect(ended).toMatchObject({ code, stderr: expect.stringContaining('Stopping …\n') });
  expect(ended.stderr).not.toMatch(/\n\s+at /);
  expect(await untilNothingIsLeft(command)).toBe(0);
});

test.each([
  ['src/main.ts', 'service-', [], 130],
  ['src/cli/diagnose.ts', 'diagnose-command-', ['shop.yaml'], 2],
  ['src/cli/demo.ts', 'demo-command-', [], 130],
])('%s says so at once while it is still being loaded', async (file, part, args, code) => {
  // The main part is never loaded: whatever ends the process does not need it.
  const hooks = `export const resolve = (name, ...more) => name.split('/').at(-1).startsWith(${JSON.stringify(part)}) ? new Promise(() => {}) : more[1](name, more[0]);`;
  const early = `
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));
    process.on('newListener', (name) => name === 'SIGINT' && setImmediate(() => console.log('Ctrl-C is handled.')));
    setInterval(() => {}, 60_000);`;
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(early)}`;
  const command = startCommandWith(
    { NODE_OPTIONS },
    file,
    ...args.map((name) => join(folder, name)),
  );
  await command.printed(/Ctrl-C is handled/);
  command.child.kill('SIGINT');
  expect(await command.ended).toMatchObject({ code, stderr: 'Stopping …\n' });
});

test('a second Ctrl-C ends at once what would take long to stop', async () => {
  const targets = new Loopback();
  const probed = createServer();
  const asked = once(probed, 'request');
  const endpoint = `http://127.0.0.1:${await targets.open(probed)}/`;
  const attributes = '{ timeoutMs: 10000 }';
  const node = `nodes: [{ id: a, name: A, kind: service, endpoint: "${endpoint}", attributes: ${attributes} }]`;
  await writeFile(join(folder, 'slow.yaml'), `id: 8\nname: Slow\n${node}\n`);
  const env = { PORT: '0', DATA_DIR: join(folder, 'data'), SHUTDOWN_GRACE_SECONDS: '600' };
  const more = { TOPOLOGIES_DIR: folder, LOG_LEVEL: 'silent' };
  const command = startCommandWith({ ...env, ...more }, 'src/main.ts');
  const said = await command.printed(/listens on http:\S+,/);
  await new Api(/listens on (\S+),/.exec(said)?.[1] ?? '').accept(8);
  await asked;
  command.child.kill('SIGINT');
  await command.printed(/Shutting down; running work has at most 600 s/);
  // One Ctrl-C may come twice, from the terminal and from npm: the next within a moment is the same one.
  const again = setInterval(() => command.child.kill('SIGINT'), 100);
  const ended = await command.ended;
  clearInterval(again);
  expect(ended).toMatchObject({ code: 130, stderr: 'Stopping …\n' });
  expect(await untilNothingIsLeft(command)).toBe(0);
  await targets.close();
});
