import { parentPort } from 'node:worker_threads';
import { boundedRows } from './bounded-rows.js';
import { END, type SqlAnswer, type SqlRow } from './sql-task.js';

/** A connection of a driver, in the thread of a session. */
interface SqlClient {
  connect(): Promise<void>;
  query(text: string): Promise<readonly SqlRow[]>;
  /** Resolves as soon as the termination message is sent. */
  end(): Promise<void>;
  /**
   * The part of a driver's error that does not come from the server: a code of the server must not
   * be mistaken for one of the system.
   */
  failureOf(error: unknown): Partial<Record<'message' | 'code' | 'reason', unknown>>;
}

const MOST_TEXT = 500;

/** Signs in, and answers each text that the thread receives with the rows of that query. */
export function serveQueries(client: SqlClient): void {
  const answer = async (work: () => Promise<readonly SqlRow[]>) => {
    const failed = (error: unknown): SqlAnswer => {
      const { message, code, reason } = client.failureOf(error);
      return { failed: { message: text(message), code: text(code), reason: text(reason) } };
    };
    const done = work().then((rows): SqlAnswer => ({ rows: boundedRows(rows) }));
    parentPort?.postMessage(await done.catch(failed));
  };
  const nothing = () => [];
  parentPort?.on('message', (asked: string) => {
    void answer(() => (asked === END ? client.end().then(nothing) : client.query(asked)));
  });
  void answer(() => client.connect().then(nothing));
}

const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, MOST_TEXT) : '');
