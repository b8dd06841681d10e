import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Client, type Connection } from './index.js';
import {
  EVERYTHING,
  all,
  frame,
  refuse,
  stream,
  stubService,
} from '../../test/support/processes/stub-service.js';

const serve = stubService();
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('the events of a run', () => {
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

  it('says how it is connected: each connection, and until when it waits for the next', async () => {
    let times = 0;
    const { client } = await serve((_, response) => {
      times += 1;
      if (times === 1) refuse(response, 503, 'UNAVAILABLE', { message: 'Redis is away' });
      else if (times === 2) stream(response).end(frame(1));
      else stream(response).end([2, 3, 4, 5].map(frame).join(''));
    });
    const seen: Connection[] = [];
    const begun = Date.now();
    await all(client.follow('r', { onConnection: (connection) => seen.push(connection) }));
    const retryAt = expect.any(Number) as unknown;
    expect(seen).toEqual([
      { state: 'connecting' },
      { state: 'waiting', attempt: 1, retryAt, reason: 'Redis is away' },
      { state: 'connecting' },
      { state: 'open' },
      { state: 'waiting', attempt: 1, retryAt, reason: 'The connection was cut' },
      { state: 'connecting' },
      { state: 'open' },
    ]);
    for (const each of seen) if ('retryAt' in each) expect(each.retryAt).toBeGreaterThan(begun);
  });

  it('says that it waits because the machine is offline', async () => {
    let times = 0;
    const { client } = await serve((_, response) => {
      times += 1;
      if (times === 1) response.destroy();
      else stream(response).end([1, 2, 3, 4, 5].map(frame).join(''));
    });
    Object.defineProperty(globalThis, 'navigator', {
      value: { onLine: false },
      configurable: true,
    });
    const seen: string[] = [];
    await all(client.follow('r', { onConnection: ({ state }) => seen.push(state) }));
    Reflect.deleteProperty(globalThis, 'navigator');
    expect(seen).toEqual(['connecting', 'offline', 'connecting', 'open']);
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
      failure: { code: 'rate_limit_exceeded', message: quota.message, retryable: false },
    });
    await expect(
      client.chat({ message: 'why?' }, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect(asked).toHaveLength(1);
  });
});
