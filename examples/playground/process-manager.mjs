import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { startProcess } from './processes.mjs';

/** Bytes that each process may use. */
const MEMORY_LIMIT = 256 * 2 ** 20;
const PAGE = 4096;

/** Requests that are remembered. */
const MOST_KEYS = 1_000;

/**
 * Starts the processes of the shop and restarts one when it is asked to: `POST /NAME` with the
 * password of its URL. A request that is repeated with the same `Idempotency-Key` gets the first
 * answer, and restarts nothing. `GET /metrics` shows the memory of all processes, as cAdvisor does
 * of containers (Linux).
 *
 * @returns {Promise<{url: string, start: (command: string[], env?: Record<string, string>) =>
 *   Promise<{port: number, stop: () => Promise<void>}>, memory: () => Record<string, {bytes:
 *   number, limit: number}>, stop: () => Promise<void>}>} `start` names a process after the last
 *   file of its command, and gives it the same port again
 */
export async function startProcessManager() {
  const processes = new Map();
  const answers = new Map();
  const password = randomBytes(16).toString('hex');
  const expected = Buffer.from(`Basic ${Buffer.from(`shop:${password}`).toString('base64')}`);

  async function start(command, env = {}) {
    const name = command.at(-1).replace('.mjs', '');
    const own = { part: await startProcess(command, env) };
    const { port } = own.part;
    processes.set(name, {
      pid: () => own.part.pid,
      async restart() {
        await own.part.stop();
        own.part = await startProcess(command, { ...env, PORT: String(port) });
      },
    });
    return { port, stop: () => own.part.stop() };
  }

  async function answer(request) {
    const given = Buffer.from(request.headers.authorization ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      return [401, 'a password is needed'];
    if (request.method === 'GET' && request.url === '/metrics') return [200, metricsOf(memory())];
    const found = processes.get(request.url.slice(1));
    if (request.method !== 'POST' || !found)
      return [404, `POST /NAME restarts one of: ${[...processes.keys()].join(', ')}`];
    try {
      await found.restart();
      return [200, 'restarted'];
    } catch (error) {
      return [500, error.message];
    }
  }

  const memory = () =>
    Object.fromEntries(
      [...processes].flatMap(([name, { pid }]) => {
        const bytes = residentBytes(pid());
        return bytes === undefined ? [] : [[name, { bytes, limit: MEMORY_LIMIT }]];
      }),
    );

  const server = createServer(async (request, response) => {
    const key = request.headers['idempotency-key'];
    const known = key === undefined ? undefined : answers.get(key);
    const answered = known ?? answer(request);
    if (key !== undefined && answers.size < MOST_KEYS) answers.set(key, answered);
    const [status, text] = await answered;
    response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://shop:${password}@127.0.0.1:${server.address().port}/`,
    start,
    memory,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Undefined of a process that has ended. */
function residentBytes(pid) {
  try {
    const [, resident] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return Number(resident) * PAGE;
  } catch {
    return undefined;
  }
}

const metricsOf = (memory) =>
  Object.entries(memory)
    .map(([name, { bytes, limit }]) => {
      const labels = `{container="${name}",pod="${name}-1"}`;
      return `container_memory_working_set_bytes${labels} ${bytes}\ncontainer_spec_memory_limit_bytes${labels} ${limit}\n`;
    })
    .join('');
