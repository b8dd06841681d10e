import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CountingProxy {
  url: string;
  /** How many requests have come through it. */
  asked: () => number;
  close: () => Promise<void>;
}

/** A server that passes requests on to a server over HTTP, and counts them. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    const { method, headers, url = '/' } = request;
    const onwards = ask(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onwards.on('error', () => response.destroy());
    request.pipe(onwards);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
