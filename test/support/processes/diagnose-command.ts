import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { builtFile } from './built.js';

const ROOT = new URL('../../../', import.meta.url).pathname;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the command. `onOutput` sees stdout as it grows. */
export async function diagnose(
  args: string[],
  onOutput: (text: string, kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
  more: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const env = { ...inherited, ...more };
  const child = spawn(process.execPath, [builtFile('src/cli/diagnose.ts'), ...args], {
    cwd: ROOT,
    env,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes: Buffer) => {
    stdout += bytes.toString();
    onOutput(stdout, (signal) => child.kill(signal));
  });
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export const json = (
  response: ServerResponse,
  status: number,
  data: unknown,
  words: { code: string; message?: string } = { code: 'SUCCESS' },
) =>
  void response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ message: words.code, ...words, data }));

export const report = (verdict: string) => ({
  verdict,
  root_causes: [],
  findings: [],
  unchecked: [],
  counts: { critical: 0, warning: 0, info: 0 },
});
const global = {
  agent_id: '1',
  agent_type: 'global_supervisor',
  agent_name: 'Global supervisor',
  team_name: null,
};

export function frame(sequence: number, name: string, data: object): string {
  const [category, action] = name.split('.');
  const source = name === 'lifecycle.started' || name === 'lifecycle.cancelled' ? null : global;
  const event = {
    run_id: 'r',
    timestamp: '2026-01-01T00:00:00.000Z',
    sequence,
    source,
    event: { category, action },
    data,
  };
  return `event: ${name}\nid: ${sequence}\ndata: ${JSON.stringify(event)}\n\n`;
}
export const started = frame(1, 'lifecycle.started', {
  kind: 'diagnosis',
  topology_id: 7,
  topology_name: 'Shop',
  user_message: 'why?',
});
export const completed = (verdict: string) =>
  frame(2, 'lifecycle.completed', {
    summary: 'Done. Found 0 warnings, 0 critical issues.',
    partial: false,
    reasons: [],
    report: report(verdict),
  });

export const created: Answer = (_, response) => json(response, 201, {});
export const stream =
  (text: string): Answer =>
  (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/event-stream', 'x-run-id': 'r' })
      .write(text);
