import { expect } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { SourceError } from '../../../src/sources/http/source-error.js';
import type { Egress, SourceServer } from '../../../src/sources/http/source-server.js';
import { Loopback } from '../loopback.js';

/** Servers of sources, and the places among the connections to their host that are taken. */
export class ScriptedSources {
  readonly loopback = new Loopback();
  /** Lets everything through to this machine. */
  readonly egress: Egress = {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    enter: async () => {
      this.#places++;
      return async () => void this.#places--;
    },
  };
  #places = 0;

  /** Starts a server that gives each request its answer. */
  async start(
    answer: (response: ServerResponse, request: IncomingMessage, nth: number) => void,
    more: Partial<SourceServer> = {},
  ): Promise<SourceServer> {
    let count = 0;
    const server = createServer((request, response) => answer(response, request, ++count));
    const port = await this.loopback.open(server);
    return { endpoint: `http://source.test:${port}/base/`, egress: this.egress, ...more };
  }

  /** Stops the servers; every place must have been given back. */
  async close(): Promise<void> {
    await this.loopback.close();
    expect(this.#places).toBe(0);
  }
}

/** Returns the error with which a request fails. */
export const failureOf = (asked: Promise<unknown>): Promise<SourceError> =>
  asked.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => {
      expect(error).toBeInstanceOf(SourceError);
      return error as SourceError;
    },
  );
