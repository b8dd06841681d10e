import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { quote } from '../lib/text.js';
import { readUrl, serversOf, type Target } from './redis-url.js';

/** Why a Redis cannot be reached or used. */
export interface StoreFault {
  /** The address without credentials, the fault, and a remedy. */
  message: string;
  /** Waiting does not help: REDIS_URL is wrong, or the server has another configuration. */
  isLasting: boolean;
}

interface Question {
  host: string;
  port: number;
  tls: boolean;
  commands: string[][];
  timeoutMs: number;
}

const MOST_BYTES = 1_024;

/**
 * Connects once to each server of a Redis URL: the errors of ioredis do not show which address
 * failed, or that another program than Redis answers.
 * @returns undefined if one answers as expected
 */
export async function storeFault(url: string, timeoutMs: number): Promise<StoreFault | undefined> {
  const target = readUrl(url);
  const tls = url.startsWith('rediss');
  const commands = commandsFor(target);
  const faults = await Promise.all(
    serversOf(url).map(async (server) => {
      const question = { ...server, tls, commands, timeoutMs };
      return faultOf(await ask(question), question, target);
    }),
  );
  if (faults.includes(undefined)) return undefined;
  // A server that may return is waited for, whatever the state of the others.
  return faults.find((fault) => fault?.isLasting === false) ?? faults[0];
}

function commandsFor(target: Target): string[][] {
  const login = (user = '', password = '') =>
    password === '' ? [] : [['AUTH', ...(user === '' ? [] : [user]), password]];
  switch (target.kind) {
    case 'server': {
      const { username, password } = new URL(target.url);
      return [...login(decodeURIComponent(username), decodeURIComponent(password)), ['PING']];
    }
    case 'cluster':
      return [
        ...login(target.options.username, target.options.password),
        ['CLUSTER', 'KEYSLOT', 'x'],
      ];
    case 'sentinels': {
      const { name, sentinelPassword } = target.options;
      return [...login('', sentinelPassword), ['SENTINEL', 'get-master-addr-by-name', name]];
    }
  }
}

/** The code of what went wrong with the connection, or the last line of the replies. */
type Answer = { code: string } | { line: string };

/** Sends the commands and reads as many lines, or up to the first error. */
function ask({ host, port, tls, commands, timeoutMs }: Question): Promise<Answer> {
  return new Promise((resolve) => {
    const socket: Socket = tls
      ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) })
      : connectPlain({ host, port });
    let text = '';
    const end = (answer: Answer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end({ code: 'ETIMEDOUT' }), timeoutMs);
    socket.on('error', ({ code }: NodeJS.ErrnoException) => end({ code: code ?? 'ECONNRESET' }));
    socket.on('close', () => end(text === '' ? { code: 'ECONNRESET' } : { line: text }));
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const lines = text.split('\r\n');
      // The first line of each reply; the commands are such that only the last reply may have more
      // lines.
      const firsts = lines.slice(0, -1).slice(0, commands.length);
      const decisive = firsts.find((line) => !/^[+:*$]/.test(line)) ?? firsts[commands.length - 1];
      if (decisive !== undefined) end({ line: decisive });
      else if (text.length > MOST_BYTES) end({ line: text });
    });
    for (const words of commands)
      socket.write(
        `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`,
      );
  });
}

const PLACE = 'correct host and port in REDIS_URL';

function faultOf(
  answer: Answer,
  { host, port, tls }: Question,
  target: Target,
): StoreFault | undefined {
  const address = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const otherScheme = tls
    ? 'A Redis without TLS needs redis:// there.'
    : 'A Redis with TLS needs rediss:// there.';
  const passing = (message: string) => ({ message, isLasting: false });
  const lasting = (message: string) => ({ message, isLasting: true });
  if ('code' in answer)
    switch (answer.code) {
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return passing(
          `the host name of ${address} cannot be resolved (${answer.code}). Correct the host in REDIS_URL, or add the name to DNS.`,
        );
      case 'ECONNREFUSED':
        return passing(
          `${address} refuses connections (ECONNREFUSED). Start Redis there, or ${PLACE}.`,
        );
      case 'ETIMEDOUT':
        return passing(
          `${address} does not reply. Check the network up to there, or ${PLACE}. ${otherScheme}`,
        );
      case 'ECONNRESET':
      case 'EPIPE':
        return passing(
          `${address} closes the connection without a reply. If it is a Redis, its log has the reason; otherwise ${PLACE}. ${otherScheme}`,
        );
      default:
        return passing(
          /CERT|SIGNED|ISSUER|LEAF/.test(answer.code)
            ? `the certificate of ${address} is not accepted (${answer.code}). Set NODE_EXTRA_CA_CERTS to the certificate of its authority, or correct the host in REDIS_URL.`
            : `${address} cannot be used (${answer.code}). Check it, or ${PLACE}. ${otherScheme}`,
        );
    }
  // Foreign bytes: control characters are not shown.
  const line = answer.line.replaceAll(/[^\x20-\x7e]/g, '?');
  if (!/^[+:*$-]/.test(line))
    return lasting(
      `${address} is no Redis: it replies ${quote(line.slice(0, 40))}. Start Redis there, or ${PLACE}. ${otherScheme}`,
    );
  if (/^-(WRONGPASS|NOAUTH|DENIED)\b/.test(line))
    return lasting(
      `${address} refuses this service: ${quote(line.slice(1, 100))}. Correct the user and the password in REDIS_URL.`,
    );
  if (target.kind === 'cluster' && line.includes('cluster support disabled'))
    return lasting(
      `${address} is no node of a cluster. Use redis:// in REDIS_URL for a single Redis.`,
    );
  if (target.kind === 'sentinels' && /^-ERR unknown command/i.test(line))
    return lasting(
      `${address} is no sentinel. Use redis:// in REDIS_URL for a single Redis, or the port of the sentinel.`,
    );
  if (target.kind === 'sentinels' && /^[*$]-1$/.test(line))
    return passing(
      `the sentinel at ${address} knows no master ${quote(target.options.name)}. Correct its name in REDIS_URL.`,
    );
  return undefined;
}
