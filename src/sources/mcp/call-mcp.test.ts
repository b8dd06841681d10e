import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { BEFORE_HEAD, endlessServer } from '../../../test/support/hostile/endless-server.js';
import { closedPort, Loopback } from '../../../test/support/loopback.js';
import {
  hostileMcp,
  MCP_COMMAND,
  startMcpServer,
} from '../../../test/support/programs/mcp-program.js';
import { until } from '../../../test/support/until.js';
import type { ListedMcp } from '../live/sources-file.js';
import { callMcp } from './call-mcp.js';
import { withMcp } from './mcp-session.js';
import { definitionOf } from './tool-definition.js';

const reach = {
  egress: anyEgress,
  secretOf: (name: string) => (name === 'TOKEN' ? 'tok-123456' : undefined),
};
const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const mcp = (how: Partial<ListedMcp>): ListedMcp => ({ id: 'every', kind: 'mcp', env: {}, ...how });
const flood = (text: string) =>
  `const more = () => { while (process.stdout.write(${text})); process.stdout.once('drain', more); };
   return more();`;
const LOOK = definitionOf({ name: 'look', inputSchema: { type: 'object' } });

const definitionIn = (listed: ListedMcp, name: string) =>
  withMcp(listed, reach, limits, async (session) => {
    const tool = (await session.tools()).find((each) => each.name === name);
    return tool === undefined ? '' : definitionOf(tool);
  });
const look = (command: string[], more: object = {}) =>
  callMcp(
    mcp({ command, ...more }),
    { tool: 'look', definition: LOOK, arguments: {} },
    reach,
    limits,
  );

describe.each(['standard input and output', 'HTTP'])('the reference server over %s', (way) => {
  let listed: ListedMcp;
  let stop = () => Promise.resolve();
  beforeAll(async () => {
    if (way === 'HTTP') {
      const server = await startMcpServer();
      ({ stop } = server);
      listed = mcp({ endpoint: server.url });
    } else listed = mcp({ command: MCP_COMMAND });
  });
  afterAll(() => stop());

  test('answers an approved tool with its structured result', async () => {
    const definition = await definitionIn(listed, 'get-structured-content');
    const call = { tool: 'get-structured-content', definition, arguments: { location: 'Chicago' } };
    expect(JSON.parse(await callMcp(listed, call, reach, limits))).toMatchObject({
      temperature: expect.any(Number) as unknown,
    });
  });

  test('answers with texts', async () => {
    const definition = await definitionIn(listed, 'echo');
    const call = { tool: 'echo', definition, arguments: { message: 'hello' } };
    expect(await callMcp(listed, call, reach, limits)).toContain('hello');
  });

  test('is not called with a definition that was not approved, and the failure says how to approve it', async () => {
    const definition = LOOK;
    const call = callMcp(listed, { tool: 'echo', definition, arguments: {} }, reach, limits);
    await expect(call).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringMatching(
        /changed the definition of echo, .* write sha256:[0-9a-f]{64} as definition into the file/,
      ) as unknown,
    });
  });

  test('fails for arguments that do not fit', async () => {
    const definition = await definitionIn(listed, 'echo');
    const call = callMcp(listed, { tool: 'echo', definition, arguments: {} }, reach, limits);
    await expect(call).rejects.toMatchObject({ failure: 'failed' });
  });

  test('has no other tool', async () => {
    const call = { tool: 'rm', definition: LOOK, arguments: {} };
    await expect(callMcp(listed, call, reach, limits)).rejects.toThrow('has no tool rm');
  });
});

describe('a server over standard input and output', () => {
  test('gets the listed variables, PATH and LANG, and no other', async () => {
    const names = 'JSON.stringify(Object.entries(process.env))';
    const command = hostileMcp(
      `if (method === 'tools/call') result(id, { content: [{ type: 'text', text: ${names} }] });`,
    );
    const text = await look(command, { env: { KEY: '${env:TOKEN}' } });
    const env = Object.fromEntries(JSON.parse(text) as [string, string][]);
    expect(Object.keys(env).toSorted()).toEqual(['KEY', 'LANG', 'PATH']);
    expect(env['KEY']).toBe('tok-123456');
  });

  test.each([
    ['writes without end', flood(`JSON.stringify({ jsonrpc: '2.0', method: 'x' }) + '\\n'`)],
    ['writes one line without end', flood(`'y'.repeat(9e5)`)],
    ['ends', `if (method === 'tools/call') { console.error('no licence'); process.exit(3); }`],
  ])('that %s is left', async (_, onMessage) => {
    await expect(look(hostileMcp(onMessage))).rejects.toMatchObject({ failure: 'unreachable' });
  });

  test('that cannot be started is no answer', async () => {
    await expect(look(['/nowhere/server'])).rejects.toMatchObject({
      message: expect.stringContaining('ENOENT') as unknown,
    });
  });

  test('that never answers ends with its time, and with all that it started', async () => {
    const command = hostileMcp(
      `const { pid } = require('node:child_process').spawn('sleep', ['100'], { stdio: 'ignore' });
       if (method === 'tools/list') result(id, { tools: [{ name: String(pid) + 'x' + process.pid, inputSchema: { type: 'object' } }] });
       if (method === 'tools/call') return;`,
    );
    const stop = new AbortController();
    let pids: number[] = [];
    const call = withMcp(
      mcp({ command }),
      reach,
      { ...limits, signal: stop.signal },
      async (own) => {
        const [tool] = await own.tools();
        pids = (tool?.name ?? '').split('x').map(Number);
        stop.abort(new Error('cancelled'));
        return own.call(tool?.name ?? '', {});
      },
    );
    await expect(call).rejects.toThrow('cancelled');
    const isGone = (pid: number) => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    };
    expect(pids).toHaveLength(2);
    await until('both have ended', () => pids.every(isGone));
  });
});

describe('a server over HTTP', () => {
  const targets = new Loopback();
  afterAll(() => targets.close());
  const at = async (answer: Parameters<typeof createServer>[1]) =>
    mcp({ endpoint: `http://mcp.example:${await targets.open(createServer(answer))}/mcp` });
  const ask = (listed: ListedMcp) => withMcp(listed, reach, limits, (session) => session.tools());

  test('that refuses the credential may not be looked at', async () => {
    let seen: string | undefined;
    const listed = await at((request, response) => {
      seen = request.headers.authorization;
      response.writeHead(403).end();
    });
    const call = ask({ ...listed, auth: { bearer: '${env:TOKEN}' } });
    await expect(call).rejects.toMatchObject({ failure: 'refused' });
    expect(seen).toBe('Bearer tok-123456');
  });

  test('that does not listen is unreachable', async () => {
    const listed = mcp({ endpoint: `http://127.0.0.1:${await closedPort()}/mcp` });
    await expect(ask(listed)).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED') as unknown,
    });
  });

  test('is read to 2 MiB', async () => {
    const listed = await at((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write('y'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    await expect(ask(listed)).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringContaining('more than 2097152 bytes') as unknown,
    });
  });

  test.each(BEFORE_HEAD)('ends at endless %s before the head of an answer', async (_, piece) => {
    const port = await targets.open(endlessServer(piece));
    const asked = ask(mcp({ endpoint: `http://mcp.example:${port}/mcp` }));
    await expect(asked).rejects.toThrow('no complete head');
  });

  test('leads nowhere else', async () => {
    let hits = 0;
    const other = await targets.open(
      createServer((_, response) => void response.end(String(++hits))),
    );
    const listed = await at((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${other}/mcp` }).end();
    });
    await expect(ask(listed)).rejects.toMatchObject({ failure: 'failed' });
    expect(hits).toBe(0);
  });
});
