import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  startCommand,
  startCommandWith,
  untilNothingIsLeft,
  type Command,
} from '../../support/processes/command.js';
import { refuse, startProviderServer } from '../../support/models/provider-server.js';

// Each starts a service of its own.
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
  await writeFile(
    file,
    `id: 7\nname: One port\nnodes:\n  - { id: port, name: The port, kind: ${kind}, endpoint: "${endpoint}" }\n`,
  );
  return file;
}

const diagnose = (...args: string[]): Command =>
  (command = startCommand('src/cli/diagnose.ts', ...args));

describe('npm run diagnose, with nothing else set up', () => {
  it('ends with 0 without a fault', async () => {
    const { code, stdout } = await diagnose(await topology('tcp')).ended;
    expect(code).toBe(0);
    expect(stdout).toContain('Agents are driven by the runbook (built in, no language model).\n');
    expect(stdout).toContain('✓ Healthy');
  });

  it('ends with 1 where something is wrong, and prints nothing but JSON with --json', async () => {
    const file = await topology('tcp');
    target?.close();
    const { code, stdout, stderr } = await diagnose(file, '--json', '-m', 'The port is closed.')
      .ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      userMessage: 'The port is closed.',
      report: {
        verdict: 'root_cause_found',
        root_causes: [{ node: 'port', chain: ['port'] }],
        citations: [{ tool: 'tcp_probe', node: 'port', status: 'failed' }],
      },
    });
  });

  describe('but for a language model', () => {
    const diagnoseWith = async (env: Record<string, string>, ...options: string[]) => {
      const file = await topology('tcp');
      return (command = startCommandWith(env, 'src/cli/diagnose.ts', file, ...options)).ended;
    };

    it.each([
      [
        'no key',
        { MODEL: 'openai/gpt-9' },
        ['OPENAI_API_KEY: is not set; the model openai/gpt-9 needs it'],
      ],
      [
        'an unknown provider',
        { MODEL: 'mistral/large' },
        [
          'MODEL: is "mistral/large", which is neither runbook nor openai/MODEL-ID or anthropic/MODEL-ID; whatever else there is has a name in MODELS_FILE, which is not set',
        ],
      ],
      [
        'an address that is none',
        { MODEL: 'openai/x', OPENAI_BASE_URL: '127.0.0.1:11434' },
        ['OPENAI_BASE_URL: must be a URL like https://api.example.com/v1'],
      ],
      [
        'a file that is not there',
        { MODELS_FILE: '/nowhere/models.yaml' },
        ['MODELS_FILE: is "/nowhere/models.yaml", which cannot be read: ENOENT'],
      ],
    ])('with %s it ends with 2, and says what to set', async (_, env, faults) => {
      const { code, stdout, stderr } = await diagnoseWith(env);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Redis'));
      expect(said).toEqual([
        'The language models are configured wrong:',
        ...faults.map((fault) => `  ${fault}`),
      ]);
    });

    it('with mistakes in MODELS_FILE it ends with 2, and says each with its line and what is allowed', async () => {
      const models = join(folder, 'models.yaml');
      const small =
        'name: small\n    provider: openai-compatible\n    model: x\n    baseUrl: http://127.0.0.1:9/\n    concurency: 2';
      await writeFile(
        models,
        `models:\n  - name: big\n    provider: mistral\n    model: large\n  - ${small}\n    fallback: [big, tiny]\n`,
      );
      const { code, stderr } = await diagnoseWith({ MODELS_FILE: models });
      expect(code).toBe(2);
      const said = stderr.split('\n').filter((line) => line.startsWith('  '));
      expect(said).toEqual([
        '  models.yaml:3 models[0].provider: must be one of openai, anthropic, openai-compatible',
        expect.stringMatching(
          /^ {2}models\.yaml:9 models\[1\]\.concurency: unknown key; did you mean "concurrency"\? allowed: name, /,
        ),
      ]);
    });

    it.each([
      ['a key that is refused', 401, 'refused the key (401): check OPENAI_API_KEY.'],
      [
        'a model that is unknown there',
        404,
        'knows no model "gpt-9" (404): check MODEL and OPENAI_BASE_URL.',
      ],
    ])('with %s it ends with 2, and says which setting it was', async (_, status, words) => {
      const server = await startProviderServer();
      server.otherwise = refuse(status);
      const { code, stdout } = await diagnoseWith({
        MODEL: 'openai/gpt-9',
        OPENAI_API_KEY: 'sk-secret0123',
        OPENAI_BASE_URL: server.url,
      });
      await server.close();
      expect(code).toBe(2);
      expect(stdout.replace(/\s+/g, ' ')).toContain(`The provider of "openai/gpt-9" ${words}`);
      expect(stdout).toContain('Agents are driven by openai/gpt-9 (gpt-9, by openai).');
      expect(stdout).not.toContain('secret');
    });

    it('with a key that is refused, the JSON names the reason, and stderr says once what to check', async () => {
      const server = await startProviderServer();
      server.otherwise = refuse(401);
      const env = {
        MODEL: 'openai/gpt-9',
        OPENAI_API_KEY: 'sk-secret0123',
        OPENAI_BASE_URL: server.url,
      };
      const { code, stdout, stderr } = await diagnoseWith(env, '--json');
      await server.close();
      expect(code).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({
        status: 'completed',
        partial: true,
        reasons: ['AI_ERROR'],
        error: null,
      });
      expect(stderr).toBe(
        '✗ AI_ERROR: The provider of "openai/gpt-9" refused the key (401): check OPENAI_API_KEY.\n',
      );
    });
  });

  it('refuses a wrong topology before it starts a Redis', async () => {
    const file = join(folder, 'misspelt.yaml');
    await writeFile(
      file,
      'id: 7\nname: Misspelt\nnodes:\n  - id: web\n    name: Web\n    attributes: { slowMS: 3 }\n    endpoint: http://127.0.0.1:1/\n    kind: servce\n',
    );
    // Without any program on the PATH, no Redis can be started.
    command = startCommandWith({ PATH: '/nowhere' }, 'src/cli/diagnose.ts', file);
    const { code, stdout, stderr } = await command.ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      'Warning: line 6, nodes[0].attributes.slowMS: unknown attribute "slowMS" has no effect; did you mean "slowMs"?',
      'Warning: line 8, nodes[0].kind: unknown kind "servce"; did you mean "service"? kinds with tools: service, tcp, redis, postgres, mysql, rabbitmq, kafka, elasticsearch, dns, tls, prometheus, host, process',
      'The topology has a fault',
      expect.stringMatching(
        /^ {2}line 4, nodes: cannot be diagnosed: no tool can measure any of them; nodes\[0\]\.kind: unknown kind "servce"; did you mean "service"\?/,
      ),
      '',
    ]);
  });

  it('names unknown kinds beside faults before it starts a Redis', async () => {
    const file = join(folder, 'unknown-kinds.yaml');
    await writeFile(
      file,
      'id: 7\nname: Kinds\nnodes:\n  - { id: a, name: A, kind: tcp, endpoint: nowhere }\n  - { id: store, kind: etcd }\n  - { id: box, name: Box, kind: toaster }\n',
    );
    command = startCommandWith({ PATH: '/nowhere' }, 'src/cli/diagnose.ts', file);
    const { code, stderr } = await command.ended;
    expect(code).toBe(2);
    expect(
      stderr.split('\n').map((line) => line.replace(/(kind "[^"]*"); kinds with.*/, '$1')),
    ).toEqual([
      'Warning: line 5, nodes[1].kind: no tool can measure node "store" of kind "etcd"',
      'Warning: line 6, nodes[2].kind: no tool can measure node "box" of kind "toaster"',
      'The topology has 2 faults',
      expect.stringMatching(/^ {2}line 4, nodes\[0\]\.endpoint: /),
      expect.stringMatching(/^ {2}line 5, nodes\[1\]\.name: /),
      '',
    ]);
    expect(stderr).toContain('; kinds with tools: service, tcp, ');
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
