import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '../support/until.js';

const root = join(import.meta.dirname, '../..');
const MAIN = `
  import { writeFileSync } from 'node:fs';
  process.on('SIGTERM', () => { writeFileSync('ended', 'by SIGTERM'); process.exit(7); });
  console.log(['started', process.env.GREETING, ...process.argv.slice(2)].join(' '));
  if (process.argv[2] !== 'quick') setInterval(() => {}, 1000);
`;
const NEST = `
  const fs = require('node:fs');
  fs.appendFileSync('builds', 'x');
  setTimeout(() => {
    const source = fs.readFileSync('src/main.ts', 'utf8');
    if (source.includes('syntax error')) process.exit(5);
    fs.mkdirSync('dist', { recursive: true });
    fs.writeFileSync('dist/main.js', source);
  }, 300);
`;
const NPM = `
  const fs = require('node:fs');
  fs.appendFileSync('installs', process.argv.slice(2).join(' '));
  fs.mkdirSync('node_modules', { recursive: true });
  fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
`;
const VITE = `
  import fs from 'node:fs';
  export async function build() {
    fs.mkdirSync('dist/console/assets', { recursive: true });
    fs.writeFileSync('dist/console/index.html', '');
  }
`;
const JEST = `console.log(JSON.stringify({ redis: process.env.REDIS_URL ?? null, options: process.env.NODE_OPTIONS, args: process.argv.slice(2) })); process.exitCode = 3;`;

/** A minimal project with our scripts. The programs that they call only record the call. */
let project: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'run-script-test-'));
  await cp(join(root, 'scripts'), join(project, 'scripts'), { recursive: true });
  for (const name of ['tsconfig.json', 'tsconfig.build.json', 'nest-cli.json'])
    await write(name, '{}');
  await write('package.json', '{"type": "module"}');
  await writeLock('package-lock.json', {
    'node_modules/a': { version: '1.0.0' },
    'node_modules/darwin-only': { version: '1.0.0', optional: true },
  });
  await writeLock('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.0' } });
  await write('node_modules/@nestjs/cli/bin/nest.js', NEST);
  await write('node_modules/@nestjs/cli/package.json', '{}');
  await write('node_modules/vite/index.js', VITE);
  await write('node_modules/vite/package.json', '{"type": "module", "exports": "./index.js"}');
  await write('console/index.html', '');
  await write('node_modules/jest/bin/jest.js', JEST);
  await write('node_modules/jest/package.json', '{}');
  await write('src/main.ts', MAIN);
  await write('npm/npm-cli.js', NPM);
  await write('npm/package.json', '{}');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(project, { recursive: true, force: true });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(project, path)), { recursive: true });
  await writeFile(join(project, path), text);
}

const writeLock = (path: string, packages: object): Promise<void> =>
  write(path, JSON.stringify({ packages: { '': {}, ...packages } }));

const contents = async (path: string): Promise<string> =>
  existsSync(join(project, path)) ? readFile(join(project, path), 'utf8') : '';

function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, npm_execpath: join(project, 'npm/npm-cli.js'), REDIS_URL: 'redis://theirs' };
}

function run(
  ...args: string[]
): ChildProcess & { text: Promise<{ code: number; out: string; err: string }> } {
  const child = spawn(process.execPath, [join(project, 'scripts/run.mjs'), ...args], {
    cwd: project,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (err += bytes.toString()));
  return Object.assign(child, {
    text: once(child, 'close').then(([code]) => ({ code: code as number, out, err })),
  });
}

describe('scripts/run.mjs', () => {
  it('builds if there is no build, reports it on standard error, and forwards the arguments', async () => {
    expect(await run('start', 'quick', '--json').text).toEqual({
      code: 0,
      out: 'started  quick --json\n',
      err: expect.stringMatching(/^Building .*\nBuilt in \d+ s\.\n$/),
    });
    expect(await run('start', 'quick').text).toEqual({ code: 0, out: 'started  quick\n', err: '' });
  });

  it('builds again if the content of a source has changed, but not for a test', async () => {
    await run('start', 'quick').text;
    await write('src/main.test.ts', 'new');
    await run('start', 'quick').text;
    expect(await contents('builds')).toBe('x');
    await write('src/main.ts', MAIN.replace('started', 'restarted'));
    expect((await run('start', 'quick').text).out).toBe('restarted  quick\n');
    expect(await contents('builds')).toBe('xx');
  });

  it('does not build again what `npm run build` has built', async () => {
    const built = spawn(process.execPath, [join(project, 'scripts/build.mjs')], {
      cwd: project,
      env: environment(),
      stdio: 'ignore',
    });
    expect(await once(built, 'exit')).toEqual([0, null]);
    expect(await run('start', 'quick').text).toEqual({ code: 0, out: 'started  quick\n', err: '' });
    expect(await contents('builds')).toBe('x');
  });

  it('stops if a build fails and tries again the next time', async () => {
    await write('src/main.ts', 'syntax error');
    expect(await run('start', 'quick').text).toMatchObject({ code: 5, out: '' });
    await write('src/main.ts', MAIN);
    expect(await run('start', 'quick').text).toMatchObject({ code: 0 });
  });

  it('builds once if two processes start at once', async () => {
    const both = await Promise.all([run('start', 'quick').text, run('start', 'quick').text]);
    expect(both.map(({ out }) => out)).toEqual(['started  quick\n', 'started  quick\n']);
    expect(await contents('builds')).toBe('x');
  });

  it('installs if a package is missing or has another version', async () => {
    await writeLock('package-lock.json', { 'node_modules/a': { version: '1.0.1' } });
    expect((await run('start', 'quick').text).err).toMatch(
      /^Installing the dependencies \(npm ci\)/,
    );
    await run('start', 'quick').text;
    expect(await contents('installs')).toBe('ci --no-audit --no-fund');
  });

  it('reads .env for the service and prefers variables that are set', async () => {
    await write('.env', 'GREETING=hello\nREDIS_URL=redis://file\n');
    await write('src/main.ts', `console.log(process.env.GREETING, process.env.REDIS_URL);`);
    expect((await run('start').text).out).toBe('hello redis://theirs\n');
  });

  it('returns the exit code of the service after a signal', async () => {
    const service = run('start');
    await once(service.stdout ?? service, 'data');
    service.kill('SIGTERM');
    expect((await service.text).code).toBe(7);
  });

  it('ends the service cleanly if npm is killed', async () => {
    const script = `require('node:child_process').spawn(process.execPath, ['scripts/run.mjs', 'start'], { stdio: ['ignore', 'inherit', 'inherit'] }); setInterval(() => {}, 1000);`;
    const npm = spawn(process.execPath, ['-e', script], {
      cwd: project,
      env: { ...environment(), npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(npm);
    await once(npm.stdout, 'data');
    npm.kill('SIGKILL');
    await until('its end', async () => (await contents('ended')) === 'by SIGTERM');
  });

  it("hides the user's Redis from the tests and returns their exit code", async () => {
    const { code, out } = await run('test', 'some/file', '-t', 'name').text;
    expect(code).toBe(3);
    expect(JSON.parse(out)).toEqual({
      redis: null,
      options: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
      args: ['some/file', '-t', 'name'],
    });
  });

  it('prints its usage', async () => {
    expect(await run('dance').text).toMatchObject({
      code: 1,
      err: 'Usage: node scripts/run.mjs demo|test|start|diagnose|approve|capture|discover|doctor|restore|evaluate|mcp [arguments]\n',
    });
  });
});
