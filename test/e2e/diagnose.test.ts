import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startCommand, untilNothingIsLeft, type Command } from '../support/command.js';

// Each starts a service of its own.
jest.setTimeout(90_000);

let folder = '';
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'consilium-test-'))));
afterAll(() => rm(folder, { recursive: true }));

let command: Command | undefined;
let target: Server | undefined;
afterEach(async () => {
  target?.close();
  target = undefined;
  command?.child.kill('SIGKILL');
  if (command) expect(await untilNothingIsLeft(command)).toBe(0);
  command = undefined;
});

/** Something that listens and never says a word, and a topology of it. */
async function topology(kind: 'tcp' | 'service'): Promise<string> {
  target = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await new Promise((resolve) => target?.once('listening', resolve));
  const { port } = target.address() as AddressInfo;
  const endpoint = kind === 'tcp' ? `127.0.0.1:${port}` : `http://127.0.0.1:${port}/`;
  const file = join(folder, 'topology.yaml');
  await writeFile(file, `id: 7\nname: One port\nnodes:\n  - { id: port, name: The port, kind: ${kind}, endpoint: "${endpoint}" }\n`);
  return file;
}

const diagnose = (...args: string[]): Command => (command = startCommand('src/cli/diagnose.ts', ...args));

describe('npm run diagnose, with nothing else set up', () => {
  it('ends with 0 where all is well', async () => {
    const { code, stdout } = await diagnose(await topology('tcp')).ended;
    expect(code).toBe(0);
    expect(stdout).toContain('✓ Healthy');
  });

  it('ends with 1 where something is wrong, and prints nothing but JSON with --json', async () => {
    const file = await topology('tcp');
    target?.close();
    const { code, stdout, stderr } = await diagnose(file, '--json', '-m', 'The port is closed.').ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      userMessage: 'The port is closed.',
      report: { verdict: 'root_cause_found', root_causes: [{ node: 'port' }] },
    });
  });

  it('ends with 2 and every fault of a wrong topology', async () => {
    const file = join(folder, 'wrong.yaml');
    await writeFile(
      file,
      'id: 7\nname: Wrong\nnodes:\n  - { id: a, name: A, kind: tcp, endpoint: "127.0.0.1:1" }\n  - { id: a, name: "" }\n',
    );
    const { code, stdout, stderr } = await diagnose(file).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^ {2}line 5, nodes\[1\]\.name: /m);
    expect(stderr).toMatch(/^ {2}line 5, nodes\[1\]\.kind: /m);
  });

  it('cancels at Ctrl-C while a target does not answer, and leaves nothing', async () => {
    const { printed, ended, child } = diagnose(await topology('service'));
    await printed(/http_probe/);
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(2);
    expect(stdout).toContain('■ Cancelled');
    expect(await untilNothingIsLeft(command as Command)).toBe(0);
  });
});
