import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { readConsoleFiles } from '../../../src/http/console/console-files.js';
import { serveConsole } from '../../../src/http/console/serve-console.js';

const DIST = join(import.meta.dirname, '../../../dist/console');
const RUN = '0197f000-0000-7000-8000-00000000000f';
const BASE = '/api/service/v1';

/** An event without what the log adds. */
export interface Draft {
  name: string;
  data: object;
  /** Null for the service itself. */
  agent?: object | null;
}

/**
 * Serves the built console and one run, whose log the test writes, and whose connections it cuts.
 * For states that the service itself is seldom in.
 */
export class LogServer {
  /** Streams that were opened, in all, without those that were refused. */
  opened = 0;
  /** Answers the stream with this status instead. */
  refuse: number | undefined;
  private readonly frames: string[] = [];
  private readonly streams = new Set<ServerResponse>();

  private constructor(
    readonly origin: string,
    private readonly stop: () => void,
  ) {}

  /** @param answers of other paths below the base path, by method and path: `GET executions` */
  static async start(answers: Record<string, unknown> = {}): Promise<LogServer> {
    const files = await readConsoleFiles(DIST);
    if (!files) throw new Error('the console is not built');
    const app = express().use(serveConsole(files));
    const http = createServer(app);
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const server = new LogServer(origin, () => {
      http.closeAllConnections();
      http.close();
    });
    app.get(`${BASE}/executions/${RUN}/events`, (request, response) =>
      server.follow(Number(request.get('last-event-id') ?? 0), response),
    );
    for (const [call, data] of Object.entries(answers)) {
      const [method = '', path = ''] = call.split(' ');
      app[method.toLowerCase() as 'get' | 'post'](`${BASE}/${path}`, (_request, response) =>
        response.json({ code: 'SUCCESS', message: 'OK', data }),
      );
    }
    app.get(['/health/live', '/health/ready'], (_request, response) =>
      response.json({ status: 'ok' }),
    );
    app.use((_request, response) =>
      response.status(404).json({ code: 'NONE', message: '', data: null }),
    );
    return server;
  }

  get runId(): string {
    return RUN;
  }

  /** @param more of the address: `?view=log` */
  url(more = ''): string {
    return `${this.origin}/console/runs/${RUN}${more}`;
  }

  /** Appends events to the log, which pages that follow it get at once. */
  push(...drafts: Draft[]): void {
    for (const { name, data, agent = null } of drafts) {
      const [category, action] = name.split('.');
      const sequence = this.frames.length + 1;
      const timestamp = new Date().toISOString();
      const event = {
        run_id: RUN,
        timestamp,
        sequence,
        source: agent,
        event: { category, action },
        data,
      };
      this.frames.push(`event: ${name}\nid: ${sequence}\ndata: ${JSON.stringify(event)}\n\n`);
      for (const stream of this.streams) stream.write(this.frames[sequence - 1]);
    }
    if (this.isSealed) for (const stream of this.streams) stream.end();
  }

  /** Whether its last event ends the run: then streams are closed, as the service closes them. */
  private get isSealed(): boolean {
    return /^event: lifecycle\.(?:completed|failed|cancelled)$/m.test(this.frames.at(-1) ?? '');
  }

  /** Appends frames of a recorded log as they are. */
  load(frames: readonly string[]): void {
    this.frames.push(...frames);
  }

  /** Cuts every stream. */
  cut(): void {
    for (const stream of this.streams) stream.destroy();
  }

  /** From now on nothing reaches the pages that follow, whose connections stay open. */
  silence(): void {
    this.streams.clear();
  }

  close(): void {
    this.stop();
  }

  private follow(after: number, response: ServerResponse): void {
    if (this.refuse !== undefined) {
      response.writeHead(this.refuse, { 'content-type': 'application/json' });
      response.end('{"code":"RUN_EXPIRED","message":"gone","data":null}');
      return;
    }
    this.opened++;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-run-id': RUN });
    response.write('retry: 3000\n\n');
    for (const frame of this.frames.slice(after)) response.write(frame);
    if (this.isSealed) return void response.end();
    this.streams.add(response);
    response.on('close', () => this.streams.delete(response));
  }
}

const agent = (id: string, type: string, name: string) => ({
  agent_id: id,
  agent_type: type,
  agent_name: name,
  team_name: null,
});
export const HEAD = agent('1', 'global_supervisor', 'Head');

/** A run that has begun: two nodes, one of which depends on the other. */
export const BEGUN: Draft[] = [
  {
    name: 'lifecycle.started',
    data: { kind: 'diagnosis', topology_id: 1, topology_name: 'Shop', user_message: 'It is slow.' },
  },
  {
    name: 'system.topology',
    data: {
      hierarchy: {
        topology_id: 1,
        version: 1,
        teams: [],
        global_supervisor: { agent_id: '1', agent_name: 'Head' },
        nodes: [
          { id: 'web', name: 'Web', kind: 'service', depends_on: ['db'] },
          { id: 'db', name: 'Database', kind: 'tcp', depends_on: [] },
        ],
      },
    },
  },
];

/** Text of the agent at the top. */
export const text = (content: string, attempt = 1): Draft => ({
  name: 'llm.stream',
  data: { dispatch_id: null, turn: 1, attempt, content },
  agent: HEAD,
});

/** A warning of the agent at the top. */
export const warning = (code: string, message: string, more: object = {}): Draft => ({
  name: 'system.warning',
  data: { code, message, dispatch_id: null, turn: 1, ...more },
  agent: HEAD,
});

export const COMPLETED: Draft = {
  name: 'lifecycle.completed',
  data: {
    summary: 'Healthy.',
    report: null,
    partial: false,
    reasons: [],
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  },
  agent: HEAD,
};
