import type { Egress } from '../../src/sources/http/source-server.js';

/** Lets sources connect to loopback, under any name and without a limit. */
export const anyEgress: Egress = {
  resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  enter: () => Promise.resolve(() => Promise.resolve()),
};
