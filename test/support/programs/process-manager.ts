import { createServer } from 'node:http';
import type { Loopback } from '../loopback.js';

/** A process manager as `restart_process` calls it: restarts once for each `Idempotency-Key`. */
export interface ProcessManager {
  url: string;
  /** The key of each request that arrived. */
  readonly asked: readonly string[];
  /** How often the process was restarted. */
  readonly restarts: number;
}

export async function processManager(loopback: Loopback): Promise<ProcessManager> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.headers['idempotency-key']));
    response.end('restarted');
  });
  const port = await loopback.open(server);
  return {
    url: `http://127.0.0.1:${port}/shop`,
    asked,
    get restarts() {
      return new Set(asked).size;
    },
  };
}
