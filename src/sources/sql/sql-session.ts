import { Worker } from 'node:worker_threads';
import { atMost } from '../../lib/async.js';
import type { Egress } from '../http/source-server.js';
import { END, type SqlAnswer, type SqlLogin, type SqlRow, type SqlTask } from './sql-task.js';

/** Maximum memory of the thread in MB. */
const MOST_MB = 32;
/** Maximum time of the termination, so that the server does not log a broken connection. */
const GOODBYE_MS = 500;

/** A connection that only reads. */
export interface SqlSession {
  /** @throws Error with a `code`: that of the server, or of the connection */
  query(text: string): Promise<SqlRow[]>;
  /** Statements sent so far. */
  count(): number;
}

export interface SqlReach {
  egress: Pick<Egress, 'resolve'>;
  signal: AbortSignal;
  /** ms within which the server must have admitted the client. */
  timeoutMs: number;
}

/** How sessions with servers of one kind are held. */
export interface SqlProgram {
  /** Of the thread: signs in, and answers queries (`serveQueries`). */
  url: URL;
  /** Code of a failure: the server's answers broke the thread, or were too large. */
  wrongPeer: string;
}

/**
 * Runs work with one connection that cannot write, whose statements end after four seconds and wait
 * for a lock at most a second. It runs in its own thread: drivers parse data of the server inside
 * listeners, so that a parser error would end this process. `signal` ends the thread.
 * @throws errors of name resolution, of the connection and of the server (`code`); with the code
 *   NO_CONNECTION or NO_ANSWER if it has not admitted the client after `timeoutMs`; with the code
 *   `wrongPeer`, and UNSAFE_PASSWORD if it asks for a password that others could read; the signal's
 *   reason
 */
export async function withSql<Result>(
  { url, wrongPeer }: SqlProgram,
  login: SqlLogin,
  { egress, signal, timeoutMs }: SqlReach,
  work: (session: SqlSession) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const addresses = await egress.resolve({ host: login.host, port: login.port });
  signal.throwIfAborted();
  const task: SqlTask = { ...login, addresses, timeoutMs };
  const thread = new Worker(url, {
    workerData: task,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MOST_MB },
  });
  const stop = () => void thread.terminate();
  signal.addEventListener('abort', stop, { once: true });
  const ended = endOf(thread, wrongPeer, signal);
  let sent = 0;
  try {
    await Promise.race([nextOf(thread), ended]);
    const result = await work({
      query: (text) => {
        sent += 1;
        return Promise.race([ask(thread, text), ended]);
      },
      count: () => sent,
    });
    await atMost(GOODBYE_MS, Promise.race([ask(thread, END), ended]), []).catch(() => []);
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}

/** Rejects as soon as the thread has ended, for any reason. */
function endOf(thread: Worker, wrongPeer: string, signal: AbortSignal): Promise<never> {
  const ended = new Promise<never>((_, reject) => {
    const broken = (why: string) =>
      reject(signal.aborted ? (signal.reason as Error) : codedError(wrongPeer, why));
    thread.on('error', ({ message }: Error) => broken(message.slice(0, 500)));
    thread.on('messageerror', () => broken('its answer cannot be copied'));
    thread.on('exit', (code) => broken(`the session ended (${code})`));
  });
  ended.catch(() => undefined); // It may end between two queries.
  return ended;
}

function ask(thread: Worker, text: string): Promise<SqlRow[]> {
  const answer = nextOf(thread);
  thread.postMessage(text);
  return answer;
}

async function nextOf(thread: Worker): Promise<SqlRow[]> {
  const answer = await new Promise<SqlAnswer>((resolve) => thread.once('message', resolve));
  if ('rows' in answer) return answer.rows;
  const { message, code, reason } = answer.failed;
  throw Object.assign(codedError(code, message), reason !== '' && { reason });
}

const codedError = (code: string, message: string) => Object.assign(new Error(message), { code });
