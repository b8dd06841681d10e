import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { hasPostgres, startPostgres } from '../../../test/support/programs/postgres-program.js';
import { contextOf, Loopback, nodeOf } from '../../../test/support/loopback.js';
import { issueKind } from '../../domain/diagnosis/issue-kind.js';
import { httpProbe } from '../http-probe/http-probe.js';
import { kafkaInspect } from '../kafka-inspect/kafka-inspect.js';
import { mysqlInspect } from '../mysql-inspect/mysql-inspect.js';
import { postgresInspect } from '../postgres-inspect/postgres-inspect.js';
import { redisInspect } from '../redis-inspect/redis-inspect.js';
import { LoopDelay } from '../limits/loop-delay.js';
import { runReliably } from '../run-reliably.js';
import { tlsCertificate } from '../tls-certificate/tls-certificate.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

type Answer = (asked: Buffer, socket: Socket) => void;

/** A server that answers to the first bytes of each connection. */
const serve = (answer: Answer, greeting = '') =>
  loopback.open(
    createServer((socket) => {
      if (greeting !== '') socket.write(greeting, 'latin1');
      socket.once('data', (asked: Buffer) => answer(asked, socket));
    }),
  );

// What the programs do, as measured.
const redis: Answer = (asked, socket) => {
  const text = asked.toString('latin1');
  if (/^(?:\*1\r\n\$4\r\n)?PING\r\n/.test(text))
    socket.write('-NOAUTH Authentication required.\r\n');
  else if (/^Host:/im.test(text)) socket.destroy();
  else if (text.startsWith('GET '))
    socket.write("-ERR wrong number of arguments for 'get' command\r\n");
};
const postgres: Answer = (asked, socket) => {
  if (asked.equals(Buffer.from('0000000804d2162f', 'hex'))) socket.write('N');
  else if (asked.readInt32BE() > 10_000) socket.end();
};
const kafka: Answer = (asked, socket) => {
  const isVersions = asked.readInt32BE() === asked.length - 4 && asked.readInt16BE(4) === 18;
  if (!isVersions) return void socket.destroy();
  socket.write(
    Buffer.concat([Buffer.from('0000000a', 'hex'), asked.subarray(8, 12), Buffer.alloc(6)]),
  );
};
/** A port for TLS that no handshake gets through, and that answers HTTP as nginx does. */
const brokenTls: Answer = (asked, socket) => {
  if (asked[0] === 22) socket.destroy();
  else http(asked, socket);
};
const http: Answer = (_, socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');

const URLS = {
  http: [httpProbe, 'service', 'http://'],
  https: [httpProbe, 'service', 'https://'],
  tls: [tlsCertificate, 'tls', ''],
  rediss: [redisInspect, 'redis', 'rediss://'],
  redis: [redisInspect, 'redis', 'redis://'],
  kafka: [kafkaInspect, 'kafka', ''],
  postgres: [postgresInspect, 'postgres', 'postgres://u:p@'],
  mysql: [mysqlInspect, 'mysql', 'mysql://u:p@'],
} as const;

async function look(as: keyof typeof URLS, port: number) {
  const [tool, kind, scheme] = URLS[as];
  const node = nodeOf(kind, `${scheme}127.0.0.1:${port}`, { timeoutMs: 1_000 });
  const { issues } = await tool.run({ node: 'target' }, contextOf(node));
  return issues.map((issue) => [issueKind(issue), issue.symptom, issue.title]);
}

test.each([
  ['http', redis, 'the server is a Redis, not an HTTP server'],
  ['http', postgres, 'the server is a PostgreSQL, not an HTTP server'],
  ['http', kafka, 'the server is a Kafka, not an HTTP server'],
  ['redis', postgres, 'the server is a PostgreSQL, not a Redis'],
  ['redis', kafka, 'the server is a Kafka, not a Redis'],
  ['https', redis, 'the server is a Redis, not a TLS server'],
  ['https', postgres, 'the server is a PostgreSQL, not a TLS server'],
  ['tls', redis, 'the server is a Redis, not a TLS server'],
  ['rediss', redis, 'the server is a Redis, not a TLS server'],
  ['kafka', redis, 'the server is a Redis, not a Kafka'],
  ['kafka', http, 'the server does not use the Kafka protocol: an answer begins with "HTTP"'],
  ['postgres', redis, 'the server is a Redis, not a PostgreSQL'],
  ['mysql', redis, 'the server is a Redis, not a MySQL'],
  ['mysql', postgres, 'the server is a PostgreSQL, not a MySQL'],
] as const)('a probe of %s that meets another server: %# %p', async (as, answer, title) => {
  expect(await look(as, await serve(answer))).toEqual([['wrong-address', 'invalid', title]]);
  expect(await loopback.openConnections()).toBe(0);
});

test.each([
  ['an SSH server', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['an SMTP server', '220 mail.example ESMTP Postfix\r\n'],
  ['an FTP server', '220 (vsFTPd 3.0.3)\r\n'],
  ['an IMAP server', '* OK [CAPABILITY IMAP4rev1] ready\r\n'],
  ['a POP3 server', '+OK ready\r\n'],
  ['a MySQL', 'J\0\0\0\n8.0.36\0\x05\0\0\0'],
])('a probe of TLS that meets %s, which speaks first', async (server, greeting) => {
  for (const as of ['https', 'tls', 'rediss'] as const)
    expect(await look(as, await serve(() => undefined, greeting))).toEqual([
      ['wrong-address', 'invalid', `the server is ${server}, not a TLS server`],
    ]);
});

test.each([
  ['a MySQL', 'J\0\0\0\n8.0.36\0\x05\0\0\0', ''],
  ['an SSH server', 'SSH-2.0-OpenSSH_9.2\r\n', ': it says "SSH-2.0-OpenSSH_9.2"'],
])('a probe of HTTP that meets %s, which speaks first', async (_, greeting, quoted) => {
  const port = await serve(() => undefined, greeting);
  expect(await look('http', port)).toEqual([
    ['wrong-address', 'invalid', `the server does not use HTTP${quoted}`],
  ]);
});

test('an HTTP server that closes the connection of a request is not at a wrong address', async () => {
  const port = await serve((asked, socket) => {
    if (asked.includes('HTTP/1.1')) socket.destroy();
    else http(asked, socket);
  });
  expect(await look('http', port)).toEqual([
    ['exception', 'erroring', 'connection closed before the answer was complete'],
  ]);
});

test.each(['https', 'tls'] as const)('a broken port for TLS keeps its fault: %s', async (as) => {
  expect(await look(as, await serve(brokenTls))).toEqual([
    ['exception', 'erroring', 'connection closed during the TLS handshake'],
  ]);
});

test('a server that answers nothing keeps its fault', async () => {
  const port = await serve((_, socket) => void socket.resume());
  expect(await look('postgres', port)).toMatchObject([['timeout', 'slow', expect.anything()]]);
});

if (hasPostgres())
  test('a real PostgreSQL behind http://', async () => {
    const server = await startPostgres();
    try {
      expect(await look('http', server.port)).toEqual([
        ['wrong-address', 'invalid', 'the server is a PostgreSQL, not an HTTP server'],
      ]);
    } finally {
      await server.stop();
    }
  });

test.each([
  ['http', 'an HTTP server that hangs', /^GET [^]*HTTP\/1\.1/, () => undefined],
  [
    'redis',
    'a Redis that hangs once it has answered',
    /^\*1\r\n\$4\r\nPING/,
    (_: Buffer, socket: Socket) => void socket.write('+PONG\r\n'),
  ],
] as const)('a probe of %s asks no other question to %s', async (as, _, expected, answer) => {
  const asked: string[] = [];
  const port = await serve((bytes, socket) => {
    asked.push(bytes.toString('latin1'));
    answer(bytes, socket);
  });
  expect(await look(as, port)).toMatchObject([[expect.anything(), 'slow', expect.anything()]]);
  expect(asked.filter((first) => !expected.test(first))).toEqual([]);
});

test.each([
  ['redis', redisInspect],
  ['tls', tlsCertificate],
] as const)(
  'asks for another protocol after the last of two looks, and not between them: %s',
  async (kind, tool) => {
    const asked: string[] = [];
    const port = await serve((first) => {
      asked.push(first.toString('latin1'));
      if (asked.length > 2) return;
      const until = performance.now() + 300;
      while (performance.now() < until);
    });
    const node = nodeOf(kind, `127.0.0.1:${port}`, { timeoutMs: 400 });
    const context = contextOf(node);
    await runReliably((look) => tool.run({ node: node.id }, { ...context, ...look }), {
      delay: new LoopDelay(),
      signal: context.signal,
      until: performance.now() + 30_000,
      calmMs: 5,
    });
    const [own = '', again, ...others] = asked;
    expect(again?.slice(0, 1)).toBe(own.slice(0, 1));
    expect(others).toContain('GET / HTTP/1.0\r\n\r\n');
    expect(others).not.toContain(own);
  },
);
