import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

// Each command starts a service of its own.
const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** A project folder into which both packages were installed from the output of `npm pack`. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-package-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const pack = ['pack', '.', './packages/client', '--silent', '--pack-destination', folder];
  await run('npm', pack, { cwd: ROOT, maxBuffer: 1 << 24 });
  for (const name of ['consilium', 'consilium-client']) {
    const target = join(folder, 'node_modules', name);
    await mkdir(target, { recursive: true });
    const tarball = join(folder, `${name}-0.1.0.tgz`);
    await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
    // As an installation does: the dependencies that the package names, and no others.
    const { dependencies } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const dependency of Object.keys(dependencies)) {
      const link = join(target, 'node_modules', dependency);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(ROOT, 'node_modules', dependency), link);
    }
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the command `consilium` of the package, as `npx consilium` does. */
function consilium(args: string[], env: Record<string, string> = {}): ChildProcess {
  const { NODE_OPTIONS: _options, ...inherited } = process.env;
  const bin = join(folder, 'node_modules/consilium/dist/cli/consilium.js');
  return spawn(process.execPath, [bin, ...args], { cwd: folder, env: { ...inherited, ...env } });
}

async function outcome(child: ChildProcess, input = '') {
  child.stdin?.end(input);
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => stream && text(stream));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: await stdout, stderr: await stderr };
}

describe('the package consilium', () => {
  test('holds the console as it is served', async () => {
    const page = await readFile(
      join(folder, 'node_modules/consilium/dist/console/index.html'),
      'utf8',
    );
    expect(page).toMatch(/assets\/[\w-]+\.js/);
  });

  describe('diagnoses a topology from standard input', () => {
    let port: Server;
    let topology: string;
    beforeAll(async () => {
      port = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
      await once(port, 'listening');
      const endpoint = `127.0.0.1:${(port.address() as AddressInfo).port}`;
      topology = `id: 7\nname: One port\nnodes:\n  - { id: port, name: The port, kind: tcp, endpoint: "${endpoint}" }\n`;
    });
    afterAll(() => void port.close());

    test.each([
      ['--quiet', /^[^\n]+\n$/],
      ['--markdown', /^# [^]*One port/],
      ['--json', /^\{[^]*"verdict": "healthy"[^]*\}\n$/],
    ])('and prints nothing else with %s', async (option, pattern) => {
      const { code, stdout, stderr } = await outcome(
        consilium(['diagnose', '-', option]),
        topology,
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(pattern);
    });
  });

  test.each([
    ['diagnose', /^Usage: consilium diagnose FILE/m],
    ['demo', /^Usage: consilium demo .*[^]*redis-full/m],
  ])('prints how %s is used', async (command, usage) => {
    const { code, stdout } = await outcome(consilium([command, '--help']));
    expect(code).toBe(0);
    expect(stdout).toMatch(usage);
  });

  test('answers an MCP host', async () => {
    const child = consilium(['mcp']);
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    };
    child.stdin?.write(`${JSON.stringify(hello)}\n`);
    const [answer] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    child.kill();
    expect(JSON.parse(answer.toString())).toMatchObject({
      id: 1,
      result: { serverInfo: { name: 'consilium' } },
    });
  });

  test('starts the service, which ends at Ctrl-C', async () => {
    const child = consilium(['start'], { PORT: '0', DATA_DIR: join(folder, 'data') });
    let output = '';
    child.stderr?.on('data', (bytes: Buffer) => (output += bytes.toString()));
    for await (const bytes of child.stdout ?? []) {
      output += (bytes as Buffer).toString();
      const [, url] = /listens on (http:\S+),/.exec(output) ?? [];
      if (url === undefined || child.killed) continue;
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);
      expect((await fetch(`${url}/console`)).status).toBe(200);
      child.kill('SIGINT');
    }
    const code = child.exitCode ?? ((await once(child, 'close')) as [number])[0];
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Stopping …') });
  });
});

const PROGRAM = `
import { Client, listen, type NamedEvent } from 'PACKAGE';

const client = new Client('http://127.0.0.1:9');
const sayings: string[] = [];
const hear = (event: NamedEvent): void => {
  if (event.name === 'lifecycle.completed') sayings.push(event.data.summary);
};
const titles = async () => { for await (const { title } of client.conversations()) sayings.push(title); };
const answer = await client.show('x').then(({ report }) => report?.verdict).catch((error: Error) => error.message);
console.log(typeof listen, typeof hear && typeof titles, answer);
`;

describe('a program that installed', () => {
  const packages = ['consilium-client', 'consilium/client'];
  const programOf = (name: string) => `program-of-${name.replace('/', '-')}`;

  test('the packages compiles', async () => {
    for (const name of packages)
      await writeFile(join(folder, `${programOf(name)}.ts`), PROGRAM.replace('PACKAGE', name));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--skipLibCheck'];
    const programs = packages.map((name) => `${programOf(name)}.ts`);
    const types = await run(
      process.execPath,
      [tsc, ...options, 'false', '--lib', 'es2023,dom', ...programs],
      { cwd: folder },
    ).catch(({ stdout }: { stdout: string }) => ({ stdout }));
    expect(types.stdout).toBe('');
  });

  test.each(packages)('%s runs', async (name) => {
    const { stdout } = await run(process.execPath, [`${programOf(name)}.js`], { cwd: folder });
    expect(stdout).toMatch(/^function function No answer from http:\/\/127\.0\.0\.1:9/);
  });
});

test('the package consilium-client brings one dependency and no part of the server', async () => {
  const target = join(folder, 'node_modules/consilium-client');
  const { dependencies } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8')) as {
    dependencies: object;
  };
  expect(Object.keys(dependencies)).toEqual(['eventsource-parser']);
  for (const name of ['README.md', 'dist/client/index.d.ts'])
    expect(existsSync(join(target, name))).toBe(true);
  expect(existsSync(join(target, 'dist/service.js'))).toBe(false);
});
