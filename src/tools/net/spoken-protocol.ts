import type { Socket } from 'node:net';
import type { ToolContext } from '../tool.js';
import { BoundedBytes } from './bounded-bytes.js';
import { connectTcp, withPlace } from './connect.js';
import type { HostPort } from './endpoint.js';
import { NO_TLS, type NetworkFault, wrongAddress } from './network-error.js';
import { within } from './within.js';

/** Time of one request; maximum bytes of its answer. */
const LOOK_MS = 500;
const MOST_BYTES = 256;

/** The correlation id of the request to a Kafka, which an answer repeats. */
const KAFKA_ID = 'cnsl';

/**
 * Servers that close a connection, or wait, if they receive another protocol: a request to each,
 * and the beginning of its answer.
 */
const PROTOCOLS = [
  { server: 'an HTTP server', question: 'GET / HTTP/1.0\r\n\r\n', answer: /^HTTP\/\d/ },
  {
    server: 'a Redis',
    question: 'PING\r\n',
    answer: /^(?:\+PONG\r|-(?:NOAUTH|NOPERM|DENIED|LOADING|MASTERDOWN|BUSY) )/,
  },
  // SSLRequest: https://www.postgresql.org/docs/current/protocol-message-formats.html
  { server: 'a PostgreSQL', question: '\0\0\0\x08\x04\xd2\x16\x2f', answer: /^[SN]$/ },
  // ApiVersions, version 0, of the client `c`: https://kafka.apache.org/protocol
  {
    server: 'a Kafka',
    question: `\0\0\0\x0b\0\x12\0\0${KAFKA_ID}\0\x01c`,
    answer: new RegExp(`^\\0[^]{3}${KAFKA_ID}`),
  },
] as const;

/** Servers that send first, also behind `https://`: the beginning of their greeting. */
const GREETINGS = [
  { server: 'an SSH server', answer: /^SSH-\d/ },
  { server: 'an SMTP server', answer: /^220[ -].*\bE?SMTP\b/i },
  { server: 'an FTP server', answer: /^220[ -].*FTP/i },
  { server: 'an IMAP server', answer: /^\* (?:OK|PREAUTH) / },
  { server: 'a POP3 server', answer: /^\+OK / },
  // Protocol 10:
  // https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_v10.html
  { server: 'a MySQL', answer: /^[^]{3}\0\n\d+\.\d/ },
] as const;

const SERVERS = [...GREETINGS, ...PROTOCOLS];

/** The expected server at an address: "a Redis". */
export type ExpectedServer = (typeof PROTOCOLS)[number]['server'] | 'a MySQL' | 'a TLS server';

/**
 * The meaning of a missing answer in the expected protocol: a wrong address, if the server answers
 * in another one. Only for connections that were closed or timed out, and for other answers to a
 * TLS handshake. Not for a server that has answered as expected before: for a faulty one, and for
 * one that counts broken connections, each request is harmful.
 * @throws the signal's reason; UnmeasuredError
 */
export async function orWrongAddress(
  fault: NetworkFault,
  expected: ExpectedServer,
  target: HostPort,
  context: Pick<ToolContext, 'enter' | 'looksAgain' | 'policy' | 'signal'>,
): Promise<NetworkFault> {
  // Another server closes the connection at a request of HTTP; one that waits is usually a hanging
  // HTTP server.
  const kinds = expected === 'an HTTP server' ? ['reset'] : ['reset', 'timeout'];
  if (fault.symptom === 'unreachable') return fault;
  if (fault.text !== NO_TLS && !kinds.includes(fault.kind)) return fault;
  if (fault.waitedMs !== undefined && context.looksAgain?.(fault.waitedMs)) return fault;
  const server = await serverAt(target, context, expected);
  return server === undefined ? fault : wrongAddress(`the server is ${server}, not ${expected}`);
}

/**
 * The server at an address by its answer to a request of its protocol; undefined if none answers,
 * or the expected one does.
 */
async function serverAt(
  target: HostPort,
  context: Pick<ToolContext, 'enter' | 'policy' | 'signal'>,
  expected: ExpectedServer,
): Promise<string | undefined> {
  for (const { server, question } of PROTOCOLS) {
    if (server === expected) continue;
    const answer = await ask(target, context, question);
    // It is gone: what answered before cannot be determined.
    if (answer === undefined) return undefined;
    // A server may also answer another protocol's request, for example with 400.
    const found = SERVERS.find(
      (each) =>
        each.answer.test(answer) && (each.server !== 'a PostgreSQL' || each.server === server),
    );
    if (found === undefined) continue;
    // One of TLS may answer a request without it by HTTP, too.
    const isExpected =
      found.server === expected ||
      (expected === 'a TLS server' && found.server === 'an HTTP server');
    return isExpected ? undefined : found.server;
  }
  return undefined;
}

/** The first bytes of an answer, empty if there is none; undefined if there is no connection. */
async function ask(
  target: HostPort,
  context: Pick<ToolContext, 'enter' | 'policy' | 'signal'>,
  question: string,
): Promise<string | undefined> {
  const { policy, signal } = context;
  const answer = new BoundedBytes(MOST_BYTES);
  let isConnected = false;
  await withPlace(context, target, () =>
    within(signal, LOOK_MS, async (own) => {
      const socket = await connectTcp(target, policy.egress, own);
      isConnected = true;
      socket.write(question, 'latin1');
      await readInto(answer, socket);
    }).catch(() => signal.throwIfAborted()),
  );
  return isConnected ? answer.bytes().toString('latin1') : undefined;
}

/** Reads until the socket ends, or enough was received to identify the server. */
async function readInto(answer: BoundedBytes, socket: Socket): Promise<void> {
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    answer.push(chunk);
    const text = answer.bytes().toString('latin1');
    if (text.length === MOST_BYTES || SERVERS.some((each) => each.answer.test(text))) return;
  }
}
