import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ConsiliumError } from '../domain/errors.js';
import { Client } from './client.js';
import type { NamedEvent } from '../domain/event.js';

let server: Server | undefined;

/** A service that answers as told, with what it was asked. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  const asked: IncomingMessage[] = [];
  server = createServer((request, response) => {
    asked.push(request);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { client: new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), asked };
}

afterEach(() => {
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
const refuse = (response: ServerResponse, status: number, code: string, message: string, data: object | null = null) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ code, message, data }));

async function all(events: AsyncIterable<NamedEvent>): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of events) seen.push(`${event.sequence} ${event.name}`);
  return seen;
}
const EVERYTHING = NAMES.map((name, i) => `${i + 1} ${name}`);

describe('Client', () => {
  it('triggers a run and gives its events up to the terminal one', async () => {
    const { client, asked } = await serve((_, response, body) => {
      expect(JSON.parse(body)).toEqual({ topologyId: 123, userMessage: 'why?' });
      stream(response).write(`retry: 3000\n\n${frame(1)}: ping\n\n`);
      const rest = [2, 3, 4, 5].map(frame).join('');
      response.write(rest.slice(0, 100));
      setTimeout(() => response.write(rest.slice(100)), 20); // and never closes
    });
    const run = await client.trigger({ topologyId: 123, userMessage: 'why?' });
    expect(run.runId).toBe('r');
    expect(await all(run.events)).toEqual(EVERYTHING);
    expect(asked[0]).toMatchObject({ method: 'POST', url: '/api/service/v1/executions/trigger', headers: { accept: 'text/event-stream' } });
  });

  it('resumes a cut stream after the last whole event, and triggers only once', async () => {
    const { client, asked } = await serve((request, response) => {
      stream(response);
      if (request.method === 'POST') return void response.write(frame(1) + frame(2) + frame(3).slice(0, 50), () => response.destroy());
      if (request.headers['last-event-id'] === '2') return void response.end(frame(3));
      response.end(frame(3) + frame(4) + frame(5)); // a service that repeats one does no harm
    });
    const { events } = await client.trigger({ topologyId: 1, userMessage: 'why?' });
    expect(await all(events)).toEqual(EVERYTHING);
    expect(asked.map(({ method, url, headers }) => [method, url, headers['last-event-id']])).toEqual([
      ['POST', '/api/service/v1/executions/trigger', undefined],
      ['GET', '/api/service/v1/executions/r/events', '2'],
      ['GET', '/api/service/v1/executions/r/events', '3'],
    ]);
  });

  it('rides out a service that is away for a moment', async () => {
    let times = 0;
    const { client } = await serve((_, response) => {
      times += 1;
      if (times < 3) refuse(response, 503, 'UNAVAILABLE', 'Redis is away');
      else stream(response).end([1, 2, 3, 4, 5].map(frame).join(''));
    });
    expect(await all(client.follow('r'))).toEqual(EVERYTHING);
  });

  it('ends at once when there is nothing after the cursor, or no such run', async () => {
    const { client } = await serve((request, response) => {
      if (request.url?.includes('gone') === true) refuse(response, 404, 'RUN_NOT_FOUND', 'There is no run gone.');
      else response.writeHead(204).end();
    });
    expect(await all(client.follow('r', 5))).toEqual([]);
    await expect(all(client.follow('gone'))).rejects.toMatchObject({ code: 'RUN_NOT_FOUND', message: 'There is no run gone.' });
  });

  it('stops reading and reconnecting when it is told to', async () => {
    const { client, asked } = await serve((_, response) => void stream(response).write(frame(1)));
    const abort = new AbortController();
    const events = client.follow('r', 0, abort.signal);
    expect((await events.next()).value).toMatchObject({ sequence: 1 });
    setTimeout(() => abort.abort(), 20);
    await expect(events.next()).rejects.toMatchObject({ name: 'AbortError' });
    expect(asked).toHaveLength(1);
  });

  it('tells a refusal by its code, message and faults', async () => {
    const errors = [{ path: 'teams[0].name', message: 'must not be blank' }];
    const { client } = await serve((_, response) => refuse(response, 400, 'VALIDATION_FAILED', 'The topology has 1 fault.', { errors }));
    const error: unknown = await client.createTopology({}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConsiliumError);
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', options: { faults: errors } });
  });

  it('says so when nobody, or somebody else, answers', async () => {
    const { client } = await serve((_, response) => response.writeHead(502).end('<html>'));
    await expect(client.show('r')).rejects.toThrow(/answered 502, but not as a Consilium service does/);
    await expect(new Client('http://127.0.0.1:9').show('r')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
