import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ConsiliumError } from '../domain/errors.js';
import { Client, listen, type StreamTrouble } from './index.js';
import type { NamedEvent } from '../domain/events/event.js';

let server: Server | undefined;

/** Starts a service that answers as the test defines and records its requests. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
) {
  const asked: IncomingMessage[] = [];
  server = createServer((request, response) => {
    asked.push(request);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return {
    client: new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    asked,
  };
}

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  server?.closeAllConnections();
  server?.close();
});

const NAMES = ['lifecycle.started', 'llm.stream', 'llm.stream', 'llm.usage', 'lifecycle.completed'];
const frame = (sequence: number): string => {
  const name = NAMES[sequence - 1] ?? '';
  const [category, action] = name.split('.');
  const data = {
    run_id: 'r',
    timestamp: '2026-01-01T00:00:00.000Z',
    sequence,
    source: null,
    event: { category, action },
    data: { n: sequence },
  };
  return `event: ${name}\nid: ${sequence}\ndata: ${JSON.stringify(data)}\n\n`;
};
const stream = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-run-id': 'r' });
const refuse = (
  response: ServerResponse,
  status: number,
  code: string,
  body: { message: string; data?: object },
) =>
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ code, data: null, ...body }));

async function all(events: AsyncIterable<NamedEvent>): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of events) seen.push(`${event.sequence} ${event.name}`);
  return seen;
}
const EVERYTHING = NAMES.map((name, i) => `${i + 1} ${name}`);

describe('Client', () => {
  it('triggers a run and yields its events up to the terminal one', async () => {
    const { client, asked } = await serve((_, response, body) => {
      expect(JSON.parse(body)).toEqual({ topologyId: 123, userMessage: 'why?' });
      stream(response).write(`retry: 3000\n\n${frame(1)}: ping\n\n`);
      const rest = [2, 3, 4, 5].map(frame).join('');
      response.write(rest.slice(0, 100));
      setTimeout(() => response.write(rest.slice(100)), 20); // It never closes.
    });
    const run = await client.trigger({ topologyId: 123, userMessage: 'why?' });
    expect(run.runId).toBe('r');
    expect(await all(run.events)).toEqual(EVERYTHING);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: '/api/service/v1/executions/trigger?format=executor',
      headers: { accept: 'text/event-stream' },
    });
  });

  it('resumes a cut stream after the last whole event, and triggers only once', async () => {
    const { client, asked } = await serve((request, response) => {
      stream(response);
      if (request.method === 'POST')
        return void response.write(frame(1) + frame(2) + frame(3).slice(0, 50), () =>
          response.destroy(),
        );
      if (request.headers['last-event-id'] === '2') return void response.end(frame(3));
      response.end(frame(3) + frame(4) + frame(5)); // A repeated event does no harm.
    });
    const { events } = await client.trigger({ topologyId: 1, userMessage: 'why?' });
    expect(await all(events)).toEqual(EVERYTHING);
    expect(
      asked.map(({ method, url, headers }) => [method, url, headers['last-event-id']]),
    ).toEqual([
      ['POST', '/api/service/v1/executions/trigger?format=executor', undefined],
      ['GET', '/api/service/v1/executions/r/events?format=executor', '2'],
      ['GET', '/api/service/v1/executions/r/events?format=executor', '3'],
    ]);
  });

  it('reconnects to a service that is unavailable for a moment', async () => {
    let times = 0;
    const { client } = await serve((_, response) => {
      times += 1;
      if (times < 3) refuse(response, 503, 'UNAVAILABLE', { message: 'Redis is away' });
      else stream(response).end([1, 2, 3, 4, 5].map(frame).join(''));
    });
    expect(await all(client.follow('r'))).toEqual(EVERYTHING);
  });

  it('ends at once if the log has no event after the cursor, or if the run does not exist', async () => {
    const { client } = await serve((request, response) => {
      if (request.url?.includes('gone') === true)
        refuse(response, 404, 'RUN_NOT_FOUND', { message: 'There is no run gone.' });
      else response.writeHead(204).end();
    });
    expect(await all(client.follow('r', { after: 5 }))).toEqual([]);
    await expect(all(client.follow('gone'))).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
      message: 'There is no run gone.',
    });
  });

  it('stops reading and reconnecting when its signal fires', async () => {
    const { client, asked } = await serve((_, response) => void stream(response).write(frame(1)));
    const abort = new AbortController();
    const events = client.follow('r', { signal: abort.signal });
    expect((await events.next()).value).toMatchObject({ sequence: 1 });
    setTimeout(() => abort.abort(), 20);
    await expect(events.next()).rejects.toMatchObject({ name: 'AbortError' });
    expect(asked).toHaveLength(1);
  });

  it('reopens a stream that was silent for 45 s after the last event', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const asked: (string | null)[] = [];
    const answer = (...sequences: number[]) =>
      new TextEncoder().encode(sequences.map(frame).join(''));
    jest.spyOn(globalThis, 'fetch').mockImplementation((_, init) => {
      asked.push(new Headers(init?.headers).get('last-event-id'));
      const start = (controller: ReadableStreamDefaultController) => {
        controller.enqueue(asked.length === 1 ? answer(1, 2) : answer(3, 4, 5));
      };
      return Promise.resolve(
        new Response(new ReadableStream({ start }), {
          headers: { 'content-type': 'text/event-stream' },
        }),
      );
    });
    const events = all(new Client('http://127.0.0.1:9').follow('r'));
    await jest.advanceTimersByTimeAsync(44_999);
    expect(asked).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(4_000);
    expect(await events).toEqual(EVERYTHING);
    expect(asked[1]).toBe('2');
  });

  it.each<[string, (client: Client, options: { signal: AbortSignal }) => Promise<unknown>]>([
    [
      'trigger',
      (client, options) => client.trigger({ topologyId: 1, userMessage: 'why?' }, options),
    ],
    ['chat', (client, options) => client.chat({ message: 'why?' }, options)],
    ['follow', (client, options) => client.follow('r', options).next()],
    ['cancel', (client, options) => client.cancel('r', options)],
    ['show', (client, options) => client.show('r', options)],
    ['topology', (client, options) => client.topology(1, options)],
    ['createTopology', (client, options) => client.createTopology({}, options)],
    ['replaceTopology', (client, options) => client.replaceTopology(1, {}, options)],
  ])('%s stops waiting when its signal fires', async (_, call) => {
    const abort = new AbortController();
    const { client } = await serve(() => abort.abort());
    await expect(call(client, { signal: abort.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('yields runs page by page, as they are read', async () => {
    const { client, asked } = await serve(({ url = '' }, response) => {
      const cursor = new URL(url, 'http://x').searchParams.get('cursor');
      const data =
        cursor === null
          ? { items: [{ runId: 'a' }, { runId: 'b' }], nextCursor: 'x/1' }
          : { items: [{ runId: 'c' }], nextCursor: null };
      response.end(JSON.stringify({ code: 'SUCCESS', message: 'OK', data }));
    });
    const seen: string[] = [];
    for await (const { runId } of client.runs({ topologyId: 7, status: 'failed' }))
      seen.push(runId);
    expect(seen).toEqual(['a', 'b', 'c']);
    const path = '/api/service/v1/executions?topologyId=7&status=failed';
    expect(asked.map(({ url }) => url)).toEqual([path, `${path}&cursor=x%2F1`]);
  });

  it('reads conversations and deletes topologies', async () => {
    const { client, asked } = await serve((_, response) =>
      response.end(JSON.stringify({ code: 'SUCCESS', message: 'OK', data: { id: 'a/b' } })),
    );
    expect(await client.conversation('a/b')).toEqual({ id: 'a/b' });
    await client.deleteTopology(7);
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/service/v1/conversations/a%2Fb',
      'DELETE /api/service/v1/topologies/7',
    ]);
  });

  it('throws a refusal with its code, message and faults', async () => {
    const errors = [{ path: 'teams[0].name', message: 'must not be blank' }];
    const { client } = await serve((_, response) =>
      refuse(response, 400, 'VALIDATION_FAILED', {
        message: 'The topology has 1 fault.',
        data: { errors },
      }),
    );
    const error: unknown = await client.createTopology({}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConsiliumError);
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', faults: errors });
    expect((error as Error).message).toBe(
      'The topology has 1 fault.\n  teams[0].name must not be blank',
    );
  });

  it('names the first faults and the number of the others in the message', async () => {
    const errors = Array.from({ length: 7 }, (_, i) => ({
      path: `nodes[${i}]`,
      message: 'must be an object',
    }));
    const { client } = await serve((_, response) =>
      refuse(response, 400, 'VALIDATION_FAILED', {
        message: 'The topology has 7 faults',
        data: { errors },
      }),
    );
    await expect(client.createTopology({})).rejects.toThrow(
      /^The topology has 7 faults\n {2}nodes\[0\] must be an object\n.*\n {2}and 2 more$/s,
    );
  });

  it.each(['not a url', '', '127.0.0.1:3000', 'ftp://127.0.0.1'])(
    'throws for a text that is not the URL of a service: "%s"',
    (url) => {
      expect(() => new Client(url)).toThrow(
        new TypeError(`"${url}" is not the URL of a service, such as http://127.0.0.1:3000`),
      );
    },
  );

  it('reports if no service or another program answers', async () => {
    const { client } = await serve((_, response) => response.writeHead(502).end('<html>'));
    await expect(client.show('r')).rejects.toThrow(
      /answered 502, but not as a Consilium service does/,
    );
    await expect(new Client('http://127.0.0.1:9').show('r')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});

describe('listen', () => {
  const failedFrame = (sequence: number) =>
    frame(sequence)
      .replace(/^event: .*/, 'event: lifecycle.failed')
      .replace('{"n":', '{"error":"It broke.","code":"AI_ERROR","retryable":false,"n":');
  const heard = async (client: Client, withErrors: boolean, signal?: AbortSignal) => {
    const told: unknown[] = [];
    const onStreamError = (trouble: StreamTrouble) => void told.push(trouble);
    await listen(
      client.follow('r', { signal, attempts: 2 }),
      {
        onEvent: (event) => void told.push(event.name === 'error' ? event.error : event.name),
        ...(withErrors && { onStreamError }),
        onDone: () => void told.push('done'),
      },
      signal,
    );
    return told;
  };

  it('calls back for events, for failures and for the end', async () => {
    const { client } = await serve((_, response) =>
      stream(response).end(frame(1) + failedFrame(2)),
    );
    expect(await heard(client, true)).toEqual([
      'lifecycle.started',
      { message: 'It broke.', code: 'AI_ERROR', retryable: false },
      'done',
    ]);
    expect(await heard(client, false)).toEqual(['lifecycle.started', 'lifecycle.failed', 'done']);
  });

  it('reports a service that does not come back', async () => {
    let times = 0;
    const { client } = await serve((_, response) =>
      ++times === 1 ? void stream(response).end(frame(1)) : void response.destroy(),
    );
    const trouble = {
      message: expect.stringMatching(/No answer from/) as unknown,
      code: 'UNAVAILABLE',
      retryable: true,
    };
    expect(await heard(client, true)).toEqual(['lifecycle.started', trouble, 'done']);
    expect(await heard(client, false)).toEqual([trouble, 'done']);
  });

  it('ends without a failure when its signal fires', async () => {
    const { client } = await serve((_, response) => void stream(response).write(frame(1)));
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    expect(await heard(client, true, abort.signal)).toEqual(['lifecycle.started', 'done']);
  });
});

describe('a chat', () => {
  it('is a run that can be followed, sent once', async () => {
    const { client, asked } = await serve((request, response, body) => {
      if (request.method === 'GET')
        return void stream(response).end([2, 3, 4, 5].map(frame).join(''));
      expect(JSON.parse(body)).toEqual({ message: 'why?', session_id: 'sess_1' });
      stream(response).write(frame(1), () => response.destroy());
    });
    const { runId, events } = await client.chat({ message: 'why?', sessionId: 'sess_1' });
    expect([runId, await all(events)]).toEqual(['r', EVERYTHING]);
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /chat/stream?format=executor',
      'GET /api/service/v1/executions/r/events?format=executor',
    ]);
  });

  it('is not sent again if it is refused in its stream', async () => {
    const quota = {
      type: 'rate_limit_exceeded',
      message: 'Monthly message limit (50) reached. Upgrade for more.',
      usage: 50,
      limit: 50,
    };
    const { client, asked } = await serve((_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`event: error\ndata: ${JSON.stringify(quota)}\n\n`),
    );
    const { events } = await client.chat({ message: 'why?' });
    await expect(all(events)).rejects.toMatchObject({
      trouble: { code: 'rate_limit_exceeded', message: quota.message, retryable: false },
    });
    await expect(
      client.chat({ message: 'why?' }, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect(asked).toHaveLength(1);
  });
});

describe('the library', () => {
  it('runs in a browser: it loads only eventsource-parser, and no module of Node', () => {
    const loaded = new Set<string>();
    const packages = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      const source = readFileSync(file, 'utf8');
      // The build removes imports of types.
      for (const [, what, from] of source.matchAll(
        /^(?:import|export) (?!type)([^;]*?)from '([^']+)';/gm,
      )) {
        const values = (what as string)
          .replace(/[{}]/g, '')
          .split(',')
          .filter((name) => name.trim() !== '' && !/^\s*type /.test(name));
        if (values.length === 0) continue;
        if (from?.startsWith('.')) load(join(dirname(file), from.replace(/\.js$/, '.ts')));
        else packages.add(from as string);
      }
    };
    load(join(import.meta.dirname, 'index.ts'));
    expect([...packages]).toEqual(['eventsource-parser']);
    expect(loaded.size).toBeGreaterThan(5);
    for (const file of loaded)
      expect(readFileSync(file, 'utf8')).not.toMatch(/\b(process|Buffer|require)\b\s*[.(]/);
  });
});
