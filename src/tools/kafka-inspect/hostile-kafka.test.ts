import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { healthyKafka } from '../../../test/support/programs/healthy-kafka.js';
import {
  KAFKA_PASSWORD,
  lookAtKafka,
  lookByKafkaSource,
} from '../../../test/support/sources/look-at-kafka.js';
import {
  closedPort,
  contextOf,
  Loopback,
  nodeOf,
  testCertificate,
} from '../../../test/support/loopback.js';
import {
  type KafkaScript,
  scriptedKafka,
  type ScriptedKafka,
} from '../../../test/support/sources/scripted-kafka.js';
import { kafkaInspect } from './kafka-inspect.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

const start = (script: KafkaScript): Promise<ScriptedKafka> => scriptedKafka(loopback, script);

describe('a sign-in', () => {
  const auth = (mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512') => ({
    auth: { user: 'monitor', password: '${env:PASSWORD}', mechanism },
  });
  const user = (mechanism: string, more: Partial<NonNullable<KafkaScript['user']>> = {}) => ({
    user: { name: 'monitor', password: KAFKA_PASSWORD, mechanism, ...more },
  });
  const trusted = { tls: true, ca: '${env:CA}', serverName: 'localhost' };
  const tls = testCertificate('valid');

  test.each(['SCRAM-SHA-256', 'SCRAM-SHA-512'] as const)('by %s', async (mechanism) => {
    const { ports } = await start({ ...healthyKafka(), ...user(mechanism) });
    expect(await lookByKafkaSource(ports, auth(mechanism))).toMatchObject({ status: 'ok' });
  });

  test('by PLAIN needs TLS with a verified certificate', async () => {
    const script = { ...healthyKafka(), ...user('PLAIN'), tls };
    const { ports, requests } = await start(script);
    expect(await lookByKafkaSource(ports, { ...auth('PLAIN'), ...trusted })).toMatchObject({
      status: 'ok',
    });
    requests.length = 0;
    const unsafe = lookByKafkaSource(ports, { ...auth('PLAIN'), tls: true, trustSelfSigned: true });
    await expect(unsafe).rejects.toThrow(/PLAIN would send the password without TLS/);
    const plain = await start({ ...healthyKafka(), ...user('PLAIN') });
    await expect(lookByKafkaSource(plain.ports, auth('PLAIN'))).rejects.toThrow(/without TLS/);
    const asked = [...requests, ...plain.requests];
    expect(asked.filter((each) => !each.endsWith('versions 0'))).toEqual([]);
  });

  test.each([
    ['an unknown issuer', { tls: true, serverName: 'localhost' }, /certificate/],
    ['another name', { ...trusted, serverName: 'kafka.example' }, /not in the cert's altnames/],
  ])('is not begun with a certificate of %s', async (_, given, why) => {
    const { ports, requests } = await start({ ...healthyKafka(), ...user('PLAIN'), tls });
    const seen = await lookByKafkaSource(ports, { ...auth('PLAIN'), ...given }).catch(String);
    expect(JSON.stringify(seen)).toMatch(why);
    expect(requests).toEqual([]);
  });

  test.each([
    ['a wrong password', user('SCRAM-SHA-256', { password: 'x' }), 'refused', /credential/],
    ['another mechanism', user('OAUTHBEARER'), 'failed', /it offers: OAUTHBEARER/],
    [
      'a server without the password',
      user('SCRAM-SHA-256', { lies: true }),
      'failed',
      /cannot prove/,
    ],
    ['few iterations', user('SCRAM-SHA-256', { iterations: 1 }), 'failed', /1 iterations/],
  ])('with %s leaves the node unchecked', async (_, given, failure, message) => {
    const { ports } = await start({ ...healthyKafka(), ...given });
    const error: unknown = await lookByKafkaSource(ports, auth('SCRAM-SHA-256')).catch(
      (e: unknown) => e,
    );
    expect(error).toMatchObject({ failure, message: expect.stringMatching(message) as unknown });
    expect((error as Error).message).not.toContain(KAFKA_PASSWORD);
  });
});

describe('a hostile or broken server', () => {
  const raw = (bytes: Buffer, ends = true) =>
    loopback.open(
      createServer((socket) =>
        socket.once('data', () => void (ends ? socket.end(bytes) : socket.write(bytes))),
      ),
    );
  const frame = (...parts: (number | Buffer)[]) => {
    const body = Buffer.concat(
      parts.map((part) =>
        typeof part === 'number' ? Buffer.from(Int32Array.of(part).buffer).swap32() : part,
      ),
    );
    return Buffer.concat([Buffer.from(Int32Array.of(body.length).buffer).swap32(), body]);
  };

  test('is told from one that is not reached, in whichever order they are named', async () => {
    const other = `127.0.0.1:${await raw(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'))}`;
    const closed = `127.0.0.1:${await closedPort()}`;
    for (const brokers of [`${other},${closed}`, `${closed},${other}`]) {
      const { issues } = await lookAtKafka(brokers);
      expect(issues).toMatchObject([{ kind: 'wrong-address' }]);
      expect(issues[0]?.detail).toContain(`${other}: the server does not use the Kafka protocol`);
      expect(issues[0]?.detail).toContain(`${closed}: `);
    }
  });

  test.each([
    ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), /an answer begins with "HTTP"/],
    ['a negative length', Buffer.from('ffffffff', 'hex'), /an answer begins with "\.{4}"/],
    ['an answer to another request', frame(9, Buffer.alloc(6)), /another request/],
    ['a list beyond its end', frame(1, Buffer.alloc(2), 2 ** 31 - 1), /does not fit/],
  ])('whose first answer is %s is at a wrong address', async (_, bytes, why) => {
    const { issues } = await lookAtKafka(`127.0.0.1:${await raw(bytes)}`);
    expect(issues).toEqual([
      expect.objectContaining({
        severity: 'critical',
        kind: 'wrong-address',
        symptom: 'invalid',
        title: expect.stringMatching(why) as unknown,
      }),
    ]);
    expect(issues[0]?.title).toMatch(/^the server does not use the Kafka protocol: /);
  });

  test.each([
    ['a length that it does not keep', Buffer.from('00000fff00000001', 'hex')],
    ['nothing', Buffer.alloc(0)],
  ])('that answers %s leaves the node unchecked', async (_, bytes) => {
    const port = await raw(bytes);
    await expect(lookAtKafka(`127.0.0.1:${port}`)).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringMatching(/closes the connection before it answers/) as unknown,
    });
  });

  test('that is an HTTP server which closes at what it cannot read is at a wrong address', async () => {
    const port = await loopback.open(
      createServer((socket) =>
        socket.once('data', (chunk: Buffer) =>
          socket.end(chunk.toString('latin1').startsWith('GET ') ? 'HTTP/1.1 200 OK\r\n\r\n' : ''),
        ),
      ),
    );
    expect((await lookAtKafka(`127.0.0.1:${port}`)).issues).toMatchObject([
      { kind: 'wrong-address', title: 'the server is an HTTP server, not a Kafka' },
    ]);
  });

  test('that sends byte by byte is not waited for', async () => {
    const server = createServer((socket) => {
      socket.resume().write(Buffer.from('00001000', 'hex'));
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => server.emit('left', clearInterval(drip)));
    });
    const left = once(server, 'left');
    const port = await loopback.open(server);
    const node = nodeOf('kafka', `127.0.0.1:${port}`, { timeoutMs: 300 });
    const result = await kafkaInspect.run({ node: 'target' }, contextOf(node));
    expect(result.issues).toMatchObject([
      {
        symptom: 'slow',
        kind: 'timeout',
        title: 'a Kafka does not answer in time',
        duration_ms: expect.any(Number) as unknown,
      },
    ]);
    await left;
  });

  test('that is cut off by a cancel is left at once', async () => {
    const cancel = new AbortController();
    const { ports } = await start({
      ...healthyKafka(),
      change: (answer, { key }) => {
        if (key !== 3) return answer;
        setImmediate(() => cancel.abort(new Error('cancelled')));
        return undefined;
      },
    });
    const context = contextOf(nodeOf('kafka', `127.0.0.1:${ports[0]}`), { signal: cancel.signal });
    await expect(kafkaInspect.run({ node: 'target' }, context)).rejects.toThrow('cancelled');
    expect(await loopback.openConnections()).toBe(0);
  });

  test('has its texts cleaned, and few of its issues shown', async () => {
    const script = healthyKafka();
    const name = (at: number) => `${at}\u0000\u001b[2J\n${'x'.repeat(500)}`;
    for (let at = 0; at < 60; at += 1)
      script.groups[name(at)] = { at: 1, state: 'Stable', offsets: { 'orders-0': 0 } };
    const { ports } = await start(script);
    const result = await lookByKafkaSource(ports, { attributes: { groupLag: 1 } });
    expect(result.issues).toHaveLength(16);
    expect(result.measurements).toMatchObject({ issues_left_off: 45, groups: 61 });
    expect(JSON.stringify(result)).not.toMatch(/\\u0000|\\u001b|\\n/);
  });

  test('is left where it is after 4 MiB, and the others are read', async () => {
    const script = healthyKafka();
    script.change = (answer, { broker, key }) =>
      broker === 1 && key === 16
        ? Buffer.concat([answer, Buffer.alloc(4 * 2 ** 20 - 100)])
        : answer;
    const { ports } = await start(script);
    const { status, measurements } = await lookByKafkaSource(ports);
    expect(status).toBe('ok');
    expect(measurements).toMatchObject({
      groups: 1,
      not_read: [expect.stringContaining('its answers are larger than 4194304 bytes')],
    });
  });

  test('is led to no address that tools may not connect to', async () => {
    const script = healthyKafka();
    script.advertised = { 2: { host: '169.254.169.254', port: 80 } };
    const { ports } = await start(script);
    const { issues, measurements } = await lookByKafkaSource(ports);
    expect(measurements).toMatchObject({
      brokers_silent: 0,
      not_read: [expect.stringContaining('connections to 169.254.169.254 are not allowed')],
    });
    expect(issues).toMatchObject([{ severity: 'info' }]);
  });

  test('has at most thirty brokers asked', async () => {
    const script = healthyKafka();
    const { ports } = await start(script);
    const own = { host: '127.0.0.1', port: ports[0] ?? 0 };
    for (let id = 1; id <= 40; id += 1) script.advertised = { ...script.advertised, [id]: own };
    script.brokers = 40;
    const { measurements } = await lookByKafkaSource(ports);
    expect(measurements).toMatchObject({
      brokers: 40,
      not_read: ['10 brokers: at most 30 are asked'],
    });
  });

  test('has at most five thousand partitions of groups asked about', async () => {
    const script = healthyKafka();
    const partition = { leader: 1, replicas: [1], inSync: [1], end: 3 };
    script.topics = { orders: Array.from({ length: 6_000 }, () => partition) };
    const offsets = Object.fromEntries(
      script.topics['orders']?.map((_, at) => [`orders-${at}`, 2]) ?? [],
    );
    script.groups = { mailer: { at: 1, state: 'Stable', offsets } };
    const { measurements } = await lookByKafkaSource((await start(script)).ports);
    expect(measurements).toMatchObject({
      farthest: [{ name: 'mailer', lag: 5_000 }],
      not_read: ['ends of partitions: at most 5000 are read'],
    });
  });

  test('reads at most a hundred groups', async () => {
    const script = healthyKafka();
    for (let at = 0; at < 200; at += 1) script.groups[`g${at}`] = { at: 1, state: 'Stable' };
    const { measurements } = await lookByKafkaSource((await start(script)).ports);
    expect(measurements).toMatchObject({
      groups: 100,
      not_read: ['groups: the limit was reached'],
    });
  });
});
