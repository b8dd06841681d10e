import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { createServer as createTls } from 'node:https';
import { createServer as createTcp } from 'node:net';
import {
  BEFORE_HEAD,
  endlessServer,
  SWITCHED,
} from '../../../test/support/hostile/endless-server.js';
import { closedPort, testCa, testCertificate } from '../../../test/support/loopback.js';
import { failureOf, ScriptedSources } from '../../../test/support/sources/scripted-sources.js';
import { askSource } from './source-client.js';
import type { Egress } from './source-server.js';

const sources = new ScriptedSources();
afterEach(() => sources.close());
const live = new AbortController().signal;

describe('a connection to a source', () => {
  it.each(BEFORE_HEAD)('ends at endless %s before the head of an answer', async (_, piece) => {
    const endpoint = `http://127.0.0.1:${await sources.loopback.open(endlessServer(piece))}`;
    const error = await failureOf(
      askSource({ endpoint, egress: sources.egress }, { path: '/' }, live),
    );
    expect(error.failure).toBe('unreachable');
    expect(error.message).toContain('its answer has no complete head within 32 KiB');
  });

  it('is unreachable if nothing listens, it hangs up, speaks another protocol, or is silent', async () => {
    const tcp = async (onData: (end: () => void, write: (text: string) => void) => void) =>
      sources.loopback.open(
        createTcp((socket) =>
          socket.once('data', () =>
            onData(
              () => socket.destroy(),
              (text) => socket.end(text),
            ),
          ),
        ),
      );
    const ports = [
      await closedPort(),
      await tcp((end) => end()),
      await tcp((_, write) => write('SSH-2.0\r\n')),
      await tcp((_, write) => write(SWITCHED)),
      await tcp((_, write) => write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n1')),
      await tcp(() => undefined),
    ];
    for (const port of ports) {
      const server = {
        endpoint: `http://127.0.0.1:${port}`,
        egress: sources.egress,
        timeoutMs: 1_000,
      };
      const error = await failureOf(askSource(server, { path: '/' }, live));
      expect([error.failure, error.message]).toEqual([
        'unreachable',
        expect.stringContaining(`127.0.0.1:${port}: `),
      ]);
    }
  });

  it('tries the next address of its host if one refuses', async () => {
    const addresses = ['127.0.0.2', '127.0.0.1'] as const;
    const resolve: Egress['resolve'] = async () =>
      addresses.map((address) => ({ address, family: 4 }));
    const server = await sources.start((response) => void response.end('{}'), {
      egress: { ...sources.egress, resolve },
    });
    expect(await askSource(server, { path: '/' }, live)).toEqual({});
  });

  it('connects to nothing that the egress rules deny', async () => {
    let asked = 0;
    const denied: Egress = {
      ...sources.egress,
      resolve: () => Promise.reject(new Error('denied by rule')),
    };
    const nowhere: Egress = { ...sources.egress, resolve: async () => [] };
    const answer = (response: ServerResponse) => (asked++, response.end('1'));
    for (const [egress, message] of [
      [denied, 'denied by rule'],
      [nowhere, 'source.test has no address'],
    ] as const) {
      const server = await sources.start(answer, { egress });
      expect((await failureOf(askSource(server, { path: '/' }, live))).message).toContain(message);
    }
    expect(asked).toBe(0);
  });

  it('trusts only the authority that it is given, read for each request', async () => {
    const tls = createTls(testCertificate('valid'), (_, response) => response.end('1'));
    const endpoint = `https://127.0.0.1:${await sources.loopback.open(tls)}`;
    const authority = () => Promise.resolve(testCa());
    expect(
      await askSource({ endpoint, egress: sources.egress, authority }, { path: '/' }, live),
    ).toBe(1);
    const { failure } = await failureOf(
      askSource({ endpoint, egress: sources.egress }, { path: '/' }, live),
    );
    expect(failure).toBe('unreachable');
  });

  it('passes the host without brackets and the default port to the egress rules', async () => {
    const seen: unknown[] = [];
    const egress: Egress = {
      ...sources.egress,
      resolve: (target) => {
        seen.push(target);
        return Promise.reject(new Error('no'));
      },
    };
    for (const endpoint of ['http://[::1]', 'https://a.test', 'http://b.test:9090'])
      await failureOf(askSource({ endpoint, egress }, { path: '/' }, live));
    expect(seen).toEqual([
      { host: '::1', port: 80 },
      { host: 'a.test', port: 443 },
      { host: 'b.test', port: 9090 },
    ]);
  });
});
