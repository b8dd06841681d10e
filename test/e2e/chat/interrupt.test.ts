import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startCommandWith, untilNothingIsLeft } from '../../support/processes/command.js';
import { Api } from '../../support/api.js';
import { Loopback } from '../../support/loopback.js';
import { until } from '../../support/until.js';

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
  ['src/main.ts', 'service-', []],
  ['src/cli/diagnose.ts', 'local-service-', ['shop.yaml']],
  ['src/cli/demo.ts', 'local-service-', []],
])('%s ends at once while it is still being loaded', async (file, part, args) => {
  // A module that takes its time, as on a busy machine: no signal handler could run meanwhile.
  const hooks = `export const load = (url, ...more) => url.split('/').at(-1).startsWith(${JSON.stringify(part)}) ? { format: 'module', source: 'console.log("It is being loaded."); for (;;);', shortCircuit: true } : more[1](url, more[0]);`;
  const early = `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));`;
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(early)}`;
  const command = startCommandWith(
    { NODE_OPTIONS },
    file,
    ...args.map((name) => join(folder, name)),
  );
  await command.printed(/It is being loaded/);
  command.child.kill('SIGINT');
  await command.ended;
  expect(command.child.signalCode).toBe('SIGINT');
  expect(await untilNothingIsLeft(command)).toBe(0);
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
  // One Ctrl-C comes twice from the terminal and from npm, a few ms apart; this is another one.
  await sleep(150);
  command.child.kill('SIGINT');
  const ended = await command.ended;
  expect(ended).toMatchObject({ code: 130, stderr: 'Stopping …\n' });
  expect(await untilNothingIsLeft(command)).toBe(0);
  await targets.close();
});
