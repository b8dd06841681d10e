import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Frames, PATHS, type Protocol, type Say } from './provider-frames.js';

/** One request to a provider, and what can be done with it. */
export interface Exchange {
  /** From 1. */
  readonly number: number;
  readonly protocol: Protocol;
  readonly headers: IncomingHttpHeaders;
  readonly body: { model: string; [key: string]: unknown };
  readonly response: ServerResponse;
  readonly frames: Frames;
  /** ms of `performance.now()` at which the client's socket was closed. */
  readonly closed: Promise<number>;
  /** The same, if it has happened. */
  readonly closedAt: () => number | undefined;
}

/** What a provider does with a request. */
export type Reply = (exchange: Exchange) => void | Promise<void>;

export interface ProviderServer {
  /** Without a version: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Of every request so far. */
  readonly exchanges: Exchange[];
  /** Requests under way now, and the most that there were. */
  readonly open: number;
  readonly mostOpen: number;
  /** What is done when no scripted reply is left. */
  otherwise: Reply;
  /** Replies to the next requests, one each. */
  script(...replies: Reply[]): void;
  close(): Promise<void>;
}

/** An answer that is as it should be. */
export const answer =
  (...says: Say[]): Reply =>
  ({ response, protocol }) => {
    stream(response).end(Frames.of(protocol, says));
  };

/** The beginning of an answer; what comes then is the test's business. */
export const begin =
  (...says: Say[]): Reply =>
  ({ response, frames }) => {
    stream(response).write(
      [{ begin: true } as Say, ...says].map((say) => frames.say(say)).join(''),
    );
  };

/** One after the other. */
export const inTurn =
  (...replies: Reply[]): Reply =>
  async (exchange) => {
    for (const reply of replies) await reply(exchange);
  };

export const pause =
  (ms: number): Reply =>
  () =>
    sleep(ms);

/** Bytes as they are. */
export const raw =
  (text: string): Reply =>
  ({ response }) =>
    void stream(response).write(text);

/** An error event of the stream. */
export const errorEvent =
  (type: string, message = 'it went wrong'): Reply =>
  ({ response, frames }) =>
    void stream(response).write(frames.error(type, message));

/** The stream ends, whatever was in it. */
export const end: Reply = ({ response }) => void response.end();

/** The connection is cut, as by a process that dies. */
export const reset: Reply = async ({ response }) => {
  // What was written is to be seen first.
  await sleep(20);
  (response.socket as Socket).resetAndDestroy();
};

/** Nothing comes. */
export const silence: Reply = () => undefined;

/** An error before any stream, as the protocols have it. */
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

/** A real HTTP server that speaks what OpenAI and Anthropic speak, by script. */
export async function startProviderServer(): Promise<ProviderServer> {
  const scripted: Reply[] = [];
  const sockets = new Map<Socket, { closed: Promise<number>; at?: number }>();
  const http = createServer((request, response) => {
    void (async () => {
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
    })();
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
    },
  };
  return server;
}
