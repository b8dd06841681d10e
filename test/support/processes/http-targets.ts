import { createServer, type RequestListener } from 'node:http';
import { afterEach } from '@jest/globals';
import { expectSound } from '../streams/expect-sound.js';
import { contextOf, Loopback, nodeOf } from '../loopback.js';
import type { JsonObject } from '../../../src/lib/json.js';
import { httpProbe } from '../../../src/tools/http-probe/http-probe.js';

/** The servers of a test; closed after it. */
export const loopback = new Loopback();
afterEach(() => loopback.close());

/** Starts an HTTP server. @returns its port */
export const serve = (handler: RequestListener) => loopback.open(createServer(handler));
/** A node of kind `service`. */
export const serviceAt = (url: string, attributes: JsonObject = {}) =>
  nodeOf('service', url, attributes);

/** Runs `http_probe` on a service, and expects a sound result. */
export async function probe(
  url: string,
  attributes: JsonObject = {},
  args: { tries?: number; path?: string } = {},
) {
  return expectSound(
    await httpProbe.run({ node: 'target', ...args }, contextOf(serviceAt(url, attributes))),
  );
}
