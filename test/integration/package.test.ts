import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

const PROGRAM = `
import { Client, listen, type NamedEvent } from 'consilium/client';

const client = new Client('http://127.0.0.1:9');
const sayings: string[] = [];
const hear = (event: NamedEvent): void => {
  if (event.name === 'lifecycle.completed') sayings.push(event.data.summary);
};
const answer = await client.show('x').catch((error: Error) => error.message);
console.log(typeof listen, typeof hear, answer);
`;

/** A project folder into which the package was installed from the output of \`npm pack\`. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-package-'));
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--silent', '--pack-destination', folder],
    { cwd: ROOT, maxBuffer: 1 << 24 },
  );
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }];
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'consilium'), { recursive: true });
  await run('tar', [
    '-xzf',
    join(folder, filename),
    '-C',
    join(modules, 'consilium'),
    '--strip-components=1',
  ]);
  // The part of the dependencies that the client needs: the types of zod.
  for (const name of ['eventsource-parser', 'zod'])
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(folder, 'program.ts'), PROGRAM);
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the package holds the console as it is served', async () => {
  const page = await readFile(
    join(folder, 'node_modules/consilium/dist/console/index.html'),
    'utf8',
  );
  expect(page).toMatch(/assets\/[\w-]+\.js/);
});

test('compiles and runs a program that installed the package and imports consilium/client', async () => {
  const options = [
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--strict',
    '--skipLibCheck',
    'false',
    '--lib',
    'es2023,dom',
  ];
  const types = await run(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, 'program.ts'],
    {
      cwd: folder,
    },
  ).catch(({ stdout }: { stdout: string }) => ({ stdout }));
  expect(types.stdout).toBe('');
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder });
  expect(stdout).toMatch(/^function function No answer from http:\/\/127\.0\.0\.1:9/);
});
