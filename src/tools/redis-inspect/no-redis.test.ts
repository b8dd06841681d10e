import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import {
  closedPort,
  contextOf,
  Loopback,
  nodeOf,
  testCertificate,
} from '../../../test/support/loopback.js';
import { issueKind } from '../../domain/diagnosis/issue-kind.js';
import type { JsonObject } from '../../lib/json.js';
import { redisInspect } from './redis-inspect.js';

const inspect = async (endpoint: string, attributes: JsonObject = {}) =>
  expectSound(
    await redisInspect.run({ node: 'target' }, contextOf(nodeOf('redis', endpoint, attributes))),
  );

const NO_MEMORY = expect.stringContaining('has no plausible memory') as unknown;

describe('what is no Redis', () => {
  const loopback = new Loopback();
  afterEach(() => loopback.close());

  test('nothing, something else, something that hangs or hangs up', async () => {
    expect((await inspect(`redis://127.0.0.1:${await closedPort()}`)).issues).toMatchObject([
      { symptom: 'unreachable', title: 'connection refused (ECONNREFUSED)' },
    ]);
    const http = await loopback.open(
      createServer((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      ),
    );
    expect((await inspect(`redis://127.0.0.1:${http}`)).issues).toMatchObject([
      { kind: 'wrong-address', title: 'this is not a Redis server: it answers HTTP' },
    ]);
    const silent = await loopback.open(createServer((socket) => socket.resume()));
    expect((await inspect(`redis://127.0.0.1:${silent}`, { timeoutMs: 100 })).issues).toMatchObject(
      [{ symptom: 'slow', kind: 'timeout', title: expect.stringMatching(/ within 100 ms$/) }],
    );
    const closing = await loopback.open(
      createServer((socket) => socket.once('data', () => socket.destroy())),
    );
    expect((await inspect(`redis://127.0.0.1:${closing}`)).issues).toMatchObject([
      { symptom: 'erroring', title: 'connection closed before the answer was complete' },
    ]);
    const tls = await loopback.open(createTlsServer(testCertificate('valid')));
    expect((await inspect(`redis://127.0.0.1:${tls}`)).issues).toMatchObject([
      { kind: 'wrong-address', title: 'the address speaks TLS: use rediss://' },
    ]);
    expect(await loopback.openConnections()).toBe(0);
  });

  test('one late answer to PING of three does not make it slow', async () => {
    let pings = 0;
    const late = await loopback.open(
      createServer((socket) =>
        socket.on('data', (chunk: Buffer) => {
          const isPing = chunk.includes('PING');
          pings += isPing ? 1 : 0;
          const answer = isPing ? '+PONG\r\n' : '-ERR unknown command\r\n';
          setTimeout(() => socket.write(answer), isPing && pings === 2 ? 400 : 0);
        }),
      ),
    );
    const { measurements } = await inspect(`redis://127.0.0.1:${late}`, { slowMs: 300 });
    expect(pings).toBe(4);
    expect(measurements['ping_ms']).toBeLessThan(300);
  });

  test('a Redis whose INFO was renamed is said to refuse it in its own words', async () => {
    const renamed = await loopback.open(
      createServer((socket) =>
        socket.on('data', (chunk: Buffer) =>
          socket.write(
            chunk.includes('PING') ? '+PONG\r\n' : "-ERR unknown command 'INFO', with args\r\n",
          ),
        ),
      ),
    );
    const { issues, measurements, thresholds } = await inspect(`redis://127.0.0.1:${renamed}`);
    expect(measurements).not.toHaveProperty('used_memory_bytes');
    expect(thresholds?.map(({ metric }) => metric)).toEqual(['ping_ms']);
    expect(issues).toMatchObject([
      {
        title: 'does not show its state',
        detail: expect.stringContaining("ERR unknown command 'INFO'") as unknown,
      },
    ]);
    expect(JSON.stringify(issues)).not.toContain('NOPERM');
    expect(issues.map((issue) => issueKind(issue))).toEqual(['unknown']);
  });

  test.each([
    'used_memory:-1\r\nmaxmemory:NaN',
    'used_memory:1000\r\nmaxmemory:lots',
    'redis_version:7.2.4',
  ])('an INFO of %j shows no state: the Redis was only reached', async (info) => {
    const answers = (question: string) =>
      question.includes('PING')
        ? '+PONG\r\n'
        : question.includes('INFO')
          ? `$${info.length}\r\n${info}\r\n`
          : '-ERR unknown command\r\n';
    const port = await loopback.open(
      createServer((socket) =>
        socket.on('data', (chunk: Buffer) => socket.write(answers(chunk.toString()))),
      ),
    );
    const result = await inspect(`redis://127.0.0.1:${port}`);
    expect(result).toMatchObject({ status: 'ok', partial: true });
    expect(result.issues).toMatchObject([
      { severity: 'info', title: 'does not show its state', detail: NO_MEMORY },
    ]);
    expect(result.summary).not.toContain('-1 B');
    expect(result.measurements).not.toHaveProperty('used_memory_bytes');
  });

  test.each([
    ['C1: a push of RESP3 whose first element is null', '>1\r\n_\r\n'],
    ['C2: nested arrays of 30,000,000 entries', '*30000000\r\n'.repeat(60)],
    ['C2: a string of 4 GB', '$4000000000\r\n'],
    ['a greeting of POP3', '+OK POP3 ready\r\n'],
    ['an error of another protocol', '-ERR unknown command\r\n'],
  ])('survives %s, and sends it no password', async (_, bytes) => {
    const received: string[] = [];
    const hostile = await loopback.open(
      createServer((socket) => {
        socket.on('data', (chunk: Buffer) => received.push(chunk.toString()));
        socket.write(bytes);
      }),
    );
    const result = await inspect(`redis://:s3cret-one@127.0.0.1:${hostile}`);
    expect(result).toMatchObject({ status: 'failed', issues: [{ severity: 'critical' }] });
    expect(received.join('')).not.toContain('s3cret-one');
  });

  test('C2: reads no more than its bound of a string without an end', async () => {
    let written = 0;
    const endless = await loopback.open(
      createServer((socket) => {
        const chunk = Buffer.alloc(65_536, 'x');
        const go = () => {
          while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
        };
        socket.on('drain', go).write('$1048576\r\n');
        go();
      }),
    );
    const result = await inspect(`redis://127.0.0.1:${endless}`);
    expect(result.issues).toMatchObject([
      { kind: 'wrong-address', title: 'the server does not use the Redis protocol' },
    ]);
    expect(written).toBeLessThan(32 * 2 ** 20);
  });

  test.each([
    ['answers PING', '+PONG'],
    ['asks for a password', '-NOAUTH Authentication required.'],
    ['lets no stranger PING', "-NOPERM this user has no permissions to run the 'ping' command"],
  ])('C4: sends credentials to what %s, and after that only', async (_, greeting) => {
    const received: string[] = [];
    const port = await loopback.open(
      createServer((socket) =>
        socket.on('data', (chunk: Buffer) => {
          received.push(chunk.toString());
          if (received.length === 1) socket.write(`${greeting}\r\n`);
          else socket.end('-WRONGPASS no\r\n');
        }),
      ),
    );
    await inspect(`redis://:s3cret-one@127.0.0.1:${port}`);
    expect(received[0]).toBe('*1\r\n$4\r\nPING\r\n');
    expect(received[1]).toBe('*2\r\n$4\r\nAUTH\r\n$10\r\ns3cret-one\r\n');
  });

  test('C4: sends nothing to a port whose password holds lines of its own', async () => {
    const received: string[] = [];
    const port = await loopback.open(
      createServer((socket) => socket.on('data', (chunk) => received.push(chunk.toString()))),
    );
    const lines = 'x%0d%0aset%20pwned%200%200%203%0d%0aabc%0d%0a';
    await expect(inspect(`redis://:${lines}@127.0.0.1:${port}`)).rejects.toThrow(
      /redis_inspect needs a node of kind redis/,
    );
    expect(received).toEqual([]);
  });

  test('stops when its signal fires', async () => {
    const port = await loopback.open(createServer((socket) => socket.resume()));
    const controller = new AbortController();
    const reason = new Error('cancelled');
    setTimeout(() => controller.abort(reason), 30);
    await expect(
      redisInspect.run(
        { node: 'target' },
        contextOf(nodeOf('redis', `redis://127.0.0.1:${port}`), { signal: controller.signal }),
      ),
    ).rejects.toBe(reason);
    expect(await loopback.openConnections()).toBe(0);
  });
});
