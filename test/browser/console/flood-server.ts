import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { readConsoleFiles } from '../../../src/http/console/console-files.js';
import { serveConsole } from '../../../src/http/console/serve-console.js';
import { RECORDED } from '../../support/logs.js';

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
  const app = express().use(serveConsole(files));
  app.get('/api/service/v1/executions/:id/events', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-run-id': RUN });
    if (perSecond === undefined) response.end(frames(1, total));
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
    if (due > sent) response.write(frames(sent + 1, due));
    sent = due;
    if (sent < total) return;
    clearInterval(timer);
    response.end();
  }, TICK_MS);
  response.on('close', () => clearInterval(timer));
}

/** A recorded run up to its middle, then text of its agents without end. */
const recorded = (RECORDED['root-cause'] ?? [])
  .map((frame) => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '{}') as Recorded)
  .filter(({ event }) => event.category !== 'lifecycle' || event.action === 'started')
  .slice(0, 30);

interface Recorded {
  event: { category: string; action: string };
  source: object | null;
  data: object;
}

function frames(from: number, to: number): string {
  let text = '';
  for (let sequence = from; sequence <= to; sequence++) {
    const { event, source, data } = recorded[sequence - 1] ?? later(sequence);
    const timestamp = new Date(1_700_000_000_000 + sequence).toISOString();
    const frame = { run_id: RUN, timestamp, sequence, source, event, data };
    text += `event: ${event.category}.${event.action}\nid: ${sequence}\ndata: ${JSON.stringify(frame)}\n\n`;
  }
  return text;
}

function later(sequence: number): Recorded {
  const top = recorded.find(({ source }) => source !== null)?.source ?? null;
  const turn = { dispatch_id: null, turn: 1 + Math.floor(sequence / 50), attempt: 1 };
  if (sequence % 50 === 49)
    return {
      event: { category: 'llm', action: 'usage' },
      source: top,
      data: {
        ...turn,
        model: 'flood',
        input_tokens: 10,
        output_tokens: 10,
        total_tokens: sequence,
        context_tokens: 10,
        max_context_tokens: 1_000,
        finish_reason: 'stop',
      },
    };
  return {
    event: { category: 'llm', action: 'stream' },
    source: top,
    data: { ...turn, content: `piece ${sequence} ` },
  };
}
