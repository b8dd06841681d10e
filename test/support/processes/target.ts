import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Loopback } from '../loopback.js';

/** How a target answers. It gets the response to fill and the number of the request, from 1. */
export type Behaviour = (
  response: ServerResponse,
  hit: number,
  request: IncomingMessage,
) => void | Promise<void>;

export const healthy: Behaviour = (response) => void response.end('ok');
export const erroring: Behaviour = (response) => void response.writeHead(500).end('broken');
export const silent: Behaviour = () => undefined;
export const slow =
  (ms: number): Behaviour =>
  async (response) => {
    await sleep(ms);
    response.end('ok, at last');
  };

/** A real HTTP server to diagnose, and the requests that it received. */
export interface Target {
  endpoint: string;
  /** Changes its behaviour from the next request on. */
  behaviour: Behaviour;
  readonly hits: number;
  /** Number of open connections. */
  readonly connections: number;
}

export async function httpTarget(loopback: Loopback, behaviour: Behaviour): Promise<Target> {
  let hits = 0;
  let connections = 0;
  const server = createServer(
    (request, response) => void target.behaviour(response, ++hits, request),
  );
  server.on('connection', (socket) => {
    connections++;
    socket.on('close', () => connections--);
  });
  const target = {
    endpoint: `http://127.0.0.1:${await loopback.open(server)}/health`,
    behaviour,
    get hits() {
      return hits;
    },
    get connections() {
      return connections;
    },
  };
  return target;
}

/** A behaviour that waits until it is released. */
export function held(then: Behaviour): Behaviour & { release(): void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const behaviour: Behaviour = async (...args) => {
    await released;
    await then(...args);
  };
  return Object.assign(behaviour, { release });
}
