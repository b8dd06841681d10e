import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { readConsoleFiles } from '../../../src/http/console/console-files.js';
import { serveConsole } from '../../../src/http/console/serve-console.js';
import { ENDED, floodedEvent } from './flood-log.js';

const DIST = join(import.meta.dirname, '../../../dist/console');
const RUN = '0197f000-0000-7000-8000-00000000000f';
const TICK_MS = 20;

/** What the server writes: `total` events, at once or so many a second. */
export interface Flood {
  total: number;
  perSecond?: number;
}

/** Serves the built console, and one run whose log is as long and as fast as asked. */
export async function startFlood({ total, perSecond }: Flood) {
  const files = await readConsoleFiles(DIST);
  if (!files) throw new Error('the console is not built');
  const whole = perSecond === undefined ? frames(1, total, true) : '';
  const app = express().use(serveConsole(files));
  app.get('/api/service/v1/executions/:id/events', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-run-id': RUN });
    if (perSecond === undefined) response.end(whole);
    else drip(response, total, perSecond);
  });
  app.get('/{*rest}', (_request, response) => void response.status(404).json({ code: 'NONE' }));
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/console/runs/${RUN}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function drip(response: ServerResponse, total: number, perSecond: number): void {
  const began = Date.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(total, Math.floor(((Date.now() - began) / 1_000) * perSecond));
    if (due > sent) response.write(frames(sent + 1, due, due === total));
    sent = due;
    if (sent < total) return;
    clearInterval(timer);
    response.end();
  }, TICK_MS);
  response.on('close', () => clearInterval(timer));
}

function frames(from: number, to: number, ended: boolean): string {
  let text = '';
  for (let sequence = from; sequence <= to; sequence++) {
    const { name, source, data } = ended && sequence === to ? ENDED : floodedEvent(sequence);
    const [category, action] = name.split('.');
    const timestamp = new Date(1_700_000_000_000 + sequence).toISOString();
    const event = { category, action };
    const frame = { run_id: RUN, timestamp, sequence, source, event, data };
    text += `event: ${name}\nid: ${sequence}\ndata: ${JSON.stringify(frame)}\n\n`;
  }
  return text;
}
