import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from '@jest/globals';
import { Client } from '../../../src/client/index.js';
import type { NamedEvent } from '../../../src/domain/events/event.js';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/**
 * Registers the clean-up of a stub of the service.
 * @returns starts one that answers as the test defines and records its requests
 */
export function stubService(): (
  answer: Answer,
) => Promise<{ client: Client; asked: IncomingMessage[] }> {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });
  return async (answer) => {
    const asked: IncomingMessage[] = [];
    server = createServer((request, response) => {
      asked.push(request);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    return { client: new Client(`http://127.0.0.1:${port}`), asked };
  };
}

const NAMES = ['lifecycle.started', 'llm.stream', 'llm.stream', 'llm.usage', 'lifecycle.completed'];

/** The frame of one of the five events of a run. @param sequence from 1 to 5 */
export const frame = (sequence: number): string => {
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

/** Begins an answer that is a stream of events. */
export const stream = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-run-id': 'r' });

/** Answers a refusal in the envelope of the service. */
export const refuse = (
  response: ServerResponse,
  status: number,
  code: string,
  body: { message: string; data?: object },
) =>
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ code, data: null, ...body }));

/** Reads all events, each as its sequence and name. */
export async function all(events: AsyncIterable<NamedEvent>): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of events) seen.push(`${event.sequence} ${event.name}`);
  return seen;
}

/** What `all` returns for a whole run. */
export const EVERYTHING = NAMES.map((name, i) => `${i + 1} ${name}`);
