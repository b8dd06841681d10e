import { connect, createServer, type Socket } from 'node:net';
import type { Loopback } from '../loopback.js';

/** A connection to Redis that can be cut and restored. */
export interface RedisProxy {
  url: string;
  cut(): void;
  mend(): void;
}

export async function redisProxy(loopback: Loopback, redisUrl: string): Promise<RedisProxy> {
  const { hostname, port } = new URL(redisUrl);
  const clients = new Set<Socket>();
  let open = true;
  const server = createServer((client) => {
    if (!open) return void client.destroy();
    const upstream = connect(Number(port), hostname);
    clients.add(client);
    for (const [one, two] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => two.destroy());
      one.pipe(two);
    }
    client.on('close', () => clients.delete(client));
  });
  return {
    url: `redis://127.0.0.1:${await loopback.open(server)}`,
    cut: () => {
      open = false;
      clients.forEach((client) => client.destroy());
    },
    mend: () => (open = true),
  };
}
