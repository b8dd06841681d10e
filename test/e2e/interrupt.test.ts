import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startCommandWith, untilNothingIsLeft } from '../support/command.js';
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
