import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  completed,
  created,
  diagnose,
  frame,
  json,
  report,
  started,
  stream,
  type Answer,
} from '../support/processes/diagnose-command.js';

const TOPOLOGY = 'id: 7\nname: Shop\nnodes:\n  - id: web\n    name: Web\n    kind: service\n';

let folder = '';
let file = '';
let server: Server | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-test-'));
  file = join(folder, 'shop.yaml');
  await writeFile(file, TOPOLOGY);
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/**
 * A service that knows the calls given, `POST /topologies` and so on, and writes down which it got.
 */
async function service(answers: Record<string, Answer>) {
  const asked: string[] = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [path = ''] = (request.url ?? '').replace('/api/service/v1', '').split('?');
      const call = `${request.method} ${path}`;
      asked.push(call);
      const answer = answers[call] ?? ((_, other) => json(other, 404, null, { code: 'NOT_FOUND' }));
      answer(request, response, Buffer.concat(chunks).toString());
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('npm run diagnose', () => {
  it('sends the key of CONSILIUM_API_KEY with every request', async () => {
    const keys: (string | undefined)[] = [];
    const seen =
      (answer: Answer): Answer =>
      (request, response, body) => {
        keys.push(request.headers.authorization);
        answer(request, response, body);
      };
    const { url } = await service({
      'POST /topologies': seen(created),
      'POST /executions/trigger': seen(stream(started + completed('healthy'))),
    });
    const key = { CONSILIUM_API_KEY: 'ck_1' };
    expect(await diagnose([file, '-q', '--server', url], undefined, key)).toMatchObject({
      code: 0,
    });
    expect(keys).toEqual(['Bearer ck_1', 'Bearer ck_1']);
  });

  it.each([
    ['healthy', 0, '✓ Healthy'],
    ['issues_found', 1, '! Issues found'],
    ['root_cause_found', 1, '✗ Root cause found'],
    ['inconclusive', 2, '? Inconclusive'],
  ])('ends %s with %d', async (verdict, code, headline) => {
    const { url, asked } = await service({
      'POST /topologies': created,
      'POST /executions/trigger': (request, response, body) => {
        expect(JSON.parse(body)).toEqual({ topologyId: 7, userMessage: 'why?' });
        stream(started + completed(verdict))(request, response, body);
      },
    });
    const ended = await diagnose([file, '-m', 'why?', '--server', url]);
    expect(ended).toMatchObject({ code, stderr: '' });
    expect(ended.stdout).toContain(headline);
    expect(asked[0]).toBe('POST /topologies');
    // These two are asked for at the same time.
    expect(asked.slice(1, -1).toSorted()).toEqual(['GET /models', 'GET /topologies/7']);
    expect(asked.at(-1)).toBe('POST /executions/trigger');
  });

  it('prints only the run with --json', async () => {
    const record = { runId: 'r', status: 'completed', report: report('healthy') };
    const { url } = await service({
      'POST /topologies': created,
      'POST /executions/trigger': stream(started + completed('healthy')),
      'GET /executions/r': (_, response) => json(response, 200, record),
    });
    const ended = await diagnose([file, '--json', '--server', url]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toEqual(record);
  });

  it('lists every fault of a topology with its line', async () => {
    const errors = [
      { path: 'nodes[0].endpoint', message: 'is required' },
      { path: 'nodes[0].kind', message: 'must be a string' },
    ];
    const { url } = await service({
      'POST /topologies': (_, response) =>
        json(
          response,
          400,
          { errors },
          { code: 'VALIDATION_FAILED', message: 'The topology has 2 faults.' },
        ),
    });
    expect(await diagnose([file, '--server', url])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'The topology has 2 faults.\n  line 4, nodes[0].endpoint: is required\n  line 6, nodes[0].kind: must be a string\n',
    });
  });

  const exists: Answer = (_, response) =>
    json(response, 409, null, { code: 'TOPOLOGY_EXISTS', message: 'There is a topology 7.' });

  it('uses the stored topology if its content is the same', async () => {
    const stored = {
      id: 7,
      name: 'Shop',
      version: 3,
      nodes: [{ id: 'web', name: 'Web', kind: 'service', dependsOn: [] }],
      teams: [{ name: 'Shop' }],
    };
    const { url } = await service({
      'POST /topologies': exists,
      'GET /topologies/7': (_, response) => json(response, 200, stored),
      'POST /executions/trigger': stream(started + completed('healthy')),
    });
    expect(await diagnose([file, '--server', url])).toMatchObject({ code: 0, stderr: '' });
  });

  it('replaces a topology of other content only with --replace', async () => {
    const { url, asked } = await service({
      'POST /topologies': exists,
      'GET /topologies/7': (_, response) => json(response, 200, { id: 7, name: 'Bank', nodes: [] }),
      'PUT /topologies/7': (_, response) => json(response, 200, {}),
      'POST /executions/trigger': stream(started + completed('healthy')),
    });
    const refused = await diagnose([file, '--server', url]);
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--replace'),
    });
    expect(asked).toEqual(['POST /topologies', 'GET /topologies/7']);
    expect(await diagnose([file, '--server', url, '--replace'])).toMatchObject({ code: 0 });
  });

  it('cancels the run at Ctrl-C, once, and shows how it ended', async () => {
    let follower: ServerResponse | undefined;
    const { url, asked } = await service({
      'POST /topologies': created,
      'POST /executions/trigger': (request, response, body) => {
        follower = response;
        stream(started)(request, response, body);
      },
      'POST /executions/cancel': (_, response, body) => {
        expect(JSON.parse(body)).toEqual({ runId: 'r' });
        follower?.end(
          frame(2, 'lifecycle.cancelled', {
            reason: 'Execution was cancelled by user',
            report: report('inconclusive'),
          }),
        );
        json(response, 200, {});
      },
    });
    let interrupted = false;
    const ended = await diagnose([file, '--server', url], (text, kill) => {
      if (interrupted || !text.includes('Shop')) return;
      interrupted = true;
      kill('SIGINT');
      kill('SIGINT'); // as npm and the terminal together do
    });
    expect(ended.code).toBe(2);
    expect(ended.stdout).toContain('■ Cancelled');
    expect(asked.at(-1)).toBe('POST /executions/cancel');
  });

  it('quits at once at a second Ctrl-C', async () => {
    const { url } = await service({
      'POST /topologies': created,
      'POST /executions/trigger': stream(started),
      // Signals within half a second count as one.
      'POST /executions/cancel': () => void setTimeout(() => again(), 700),
    });
    let again = () => {};
    let interrupted = false;
    const ended = await diagnose([file, '--server', url], (text, kill) => {
      if (interrupted || !text.includes('Shop')) return;
      interrupted = true;
      again = () => kill('SIGINT');
      kill('SIGINT');
    });
    expect(ended.code).toBe(130);
  });

  it.each([
    [[], /Name one topology file/],
    [['a.yaml', 'b.yaml'], /Name one topology file/],
    [
      ['--colour'],
      /^There is no option "--colour": allowed: --message, --json, --markdown, --quiet, --server, --repair, --yes, --capture, --replace, --help\.\n.*--help/,
    ],
    [['--jsn'], /did you mean "--json"\?/],
    [['a.yaml', '--server'], /^--server needs a value\.\n/],
    [['a.yaml', '-m', ''], /^--message needs a text\.\n/],
    [['src/cli'], /^src\/cli is no incident bundle: it is a folder without incident\.yaml\.\n/],
    [['nowhere.yaml'], /Cannot read nowhere\.yaml: there is no such file/],
    [['package.json', '--server', 'localhost:3000'], /--server needs a URL such as/],
    [
      ['package.json', '--server', 'http://127.0.0.1:9'],
      /No answer from http:\/\/127\.0\.0\.1:9: is the service running there\?/,
    ],
  ])('explains what is wrong with %j', async (args, message) => {
    const ended = await diagnose(args);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  });

  it('prints its usage', async () => {
    expect(await diagnose(['--help'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('Exit codes: 0 healthy'),
    });
  });
});
