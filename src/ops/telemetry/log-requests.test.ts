import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { pino } from 'pino';
import { logRequests } from './log-requests.js';

it('L1: logs method, path and status of a request, and neither its query nor its headers', async () => {
  const lines: string[] = [];
  const logged = logRequests(pino({ level: 'debug' }, { write: (line) => void lines.push(line) }));
  const server = createServer((request, response) =>
    logged(request as Request, response as Response, () => response.end()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}/runs/1?ticket=secret`, {
    headers: { authorization: 'Bearer secret' },
  });
  server.close();
  await once(server, 'close');
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ req: { method: 'GET', path: '/runs/1' }, res: { status: 200 } }),
  ]);
  expect(lines.join('')).not.toContain('secret');
});
