import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { pino } from 'pino';
import { logRequests } from './log-requests.js';

async function linesOf(answer: (response: Response) => void): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const logged = logRequests(pino({ level: 'debug' }, { write: (line) => void lines.push(line) }));
  const server = createServer((request, response) =>
    logged(request as Request, response.setHeader('X-Request-Id', 'r1') as Response, () =>
      answer(response as Response),
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}/runs/1?ticket=secret`, {
    headers: { authorization: 'Bearer secret' },
  }).catch(() => undefined);
  server.close();
  await once(server, 'close');
  expect(lines.join('')).not.toContain('secret');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('L1: logs method, path and status of a request, and neither its query nor its headers', async () => {
  const lines = await linesOf((response) => response.end());
  expect(lines).toEqual([
    expect.objectContaining({
      requestId: 'r1',
      level: 20,
      msg: 'request completed',
      req: { method: 'GET', path: '/runs/1' },
      res: { status: 200 },
      responseTime: expect.any(Number) as unknown,
    }),
  ]);
});

it.each([
  [500, 50],
  [503, 40],
  [404, 20],
])('logs an answer with the status %s at the level %s', async (status, level) => {
  const lines = await linesOf((response) => {
    response.statusCode = status;
    response.end();
  });
  expect(lines.map((line) => line['level'])).toEqual([level]);
});

it('logs a request that was aborted, and a response that failed', async () => {
  const aborted = await linesOf((response) => response.destroy());
  expect(aborted).toMatchObject([{ level: 20, msg: 'request aborted' }]);
  const failed = await linesOf((response) => {
    response.end();
    response.write('after the end');
  });
  expect(failed).toMatchObject([{ level: 50 }]);
});
