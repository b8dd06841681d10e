import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Frames, PATHS, type Protocol, type Say } from './provider-frames.js';

/** One request to a provider, and the ways to answer it. */
export interface Exchange {
  /** Number of the request, from 1. */
  readonly number: number;
  readonly protocol: Protocol;
  readonly headers: IncomingHttpHeaders;
  readonly body: { model: string; [key: string]: unknown };
  readonly response: ServerResponse;
  readonly frames: Frames;
  /** ms of `performance.now()` at which the client's socket was closed. */
  readonly closed: Promise<number>;
  /** The same, or undefined if it is still open. */
  readonly closedAt: () => number | undefined;
}

/** How a provider handles a request. */
export type Reply = (exchange: Exchange) => void | Promise<void>;

export interface ProviderServer {
  /** Without a version: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** All requests so far. */
  readonly exchanges: Exchange[];
  /** Number of open requests now, and the maximum. */
  readonly open: number;
  readonly mostOpen: number;
  /** The reply if no scripted reply is left. */
  otherwise: Reply;
  /** Replies to the next requests, one per request. */
  script(...replies: Reply[]): void;
  /** @throws what a reply has thrown while its client was connected */
  close(): Promise<void>;
}

/** A correct response. */
export const answer =
  (...says: Say[]): Reply =>
  ({ response, protocol }) => {
    stream(response).end(Frames.of(protocol, says));
  };

/** The beginning of a response; the test writes the rest. */
export const begin =
  (...says: Say[]): Reply =>
  ({ response, frames }) => {
    stream(response).write(
      [{ begin: true } as Say, ...says].map((say) => frames.say(say)).join(''),
    );
  };

/** Replies one after the other. */
export const inTurn =
  (...replies: Reply[]): Reply =>
  async (exchange) => {
    for (const reply of replies) await reply(exchange);
  };

export const pause =
  (ms: number): Reply =>
  () =>
    sleep(ms);

/** Raw bytes. */
export const raw =
  (text: string): Reply =>
  ({ response }) =>
    void stream(response).write(text);

/** An error event of the stream. */
export const errorEvent =
  (type: string, message = 'it went wrong'): Reply =>
  ({ response, frames }) =>
    void stream(response).write(frames.error(type, message));

/** Ends the stream. */
export const end: Reply = ({ response }) => void response.end();

/** Cuts the connection, as a dying process does. */
export const reset: Reply = async ({ response }) => {
  // The client must receive first what was written.
  await sleep(20);
  (response.socket as Socket).resetAndDestroy();
};

/** Sends nothing. */
export const silence: Reply = () => undefined;

/** An HTTP error before the stream, in the form of the protocols. */
export const refuse =
  (
    status: number,
    {
      type = 'some_error',
      message = 'no',
      headers = {},
    }: { type?: string; message?: string; headers?: Record<string, string> } = {},
  ): Reply =>
  ({ response, protocol }) => {
    const error = {
      type,
      message,
      ...(protocol === 'anthropic' ? {} : { code: type, param: null }),
    };
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-request-id': 'req_0123456789abcdef',
      ...headers,
    });
    response.end(
      JSON.stringify(
        protocol === 'anthropic'
          ? { type: 'error', error, request_id: 'req_0123456789abcdef' }
          : { error },
      ),
    );
  };

function stream(response: ServerResponse): ServerResponse {
  if (!response.headersSent)
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'x-request-id': 'req_0123456789abcdef',
    });
  return response;
}

/** A real HTTP server that speaks the protocols of OpenAI and Anthropic by script. */
export async function startProviderServer(): Promise<ProviderServer> {
  const scripted: Reply[] = [];
  const sockets = new Map<Socket, { closed: Promise<number>; at?: number }>();
  const failures: unknown[] = [];
  const http = createServer((request, response) => {
    const answered = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const protocol = PATHS[request.url ?? ''];
      if (!protocol) return void response.writeHead(404).end();
      const socket = sockets.get(request.socket) as { closed: Promise<number>; at?: number };
      const exchange: Exchange = {
        number: server.exchanges.length + 1,
        protocol,
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString()) as Exchange['body'],
        response,
        frames: new Frames(protocol),
        closed: socket.closed,
        closedAt: () => socket.at,
      };
      server.exchanges.push(exchange);
      server.mostOpen = Math.max(server.mostOpen, ++server.open);
      response.once('close', () => server.open--);
      await (scripted.shift() ?? server.otherwise)(exchange);
    };
    answered().catch((error: unknown) => {
      // A reply that goes on after its client has left may find that the test has closed what it
      // uses.
      if (!response.destroyed) failures.push(error);
      response.destroy();
    });
  });
  http.on('connection', (socket) => {
    const seen: { closed: Promise<number>; at?: number } = {
      closed: new Promise((resolve) =>
        socket.once('close', () => resolve((seen.at = performance.now()))),
      ),
    };
    sockets.set(socket, seen);
    socket.on('error', () => undefined);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const server = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    exchanges: [] as Exchange[],
    open: 0,
    mostOpen: 0,
    otherwise: answer({ text: 'Done.' }),
    script: (...replies: Reply[]) => void scripted.push(...replies),
    close: async () => {
      http.close();
      for (const socket of sockets.keys()) socket.destroy();
      await once(http, 'close');
      if (failures.length > 0) throw failures[0];
    },
  };
  return server;
}
