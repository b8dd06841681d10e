import type { Failure } from '../net/repeat.js';

/** The failure that an HTTP status states. */
interface StatusMeaning extends Pick<Failure, 'failureKind' | 'steps'> {
  /** For people, if the phrase of the status does not state it. */
  words?: string;
}

const behindProxy = (words: string): StatusMeaning => ({ steps: 'gateway', words });
const notInTime = (words: string): StatusMeaning => ({
  ...behindProxy(words),
  failureKind: 'timeout',
});
const NO_PATH: StatusMeaning = { failureKind: 'wrong-address', steps: 'no-path' };
const TOO_LARGE: StatusMeaning = { failureKind: 'config', steps: 'request-too-large' };
const CERTIFICATE_BEHIND: StatusMeaning = {
  ...behindProxy('Cloudflare returns this status if TLS with the server behind it fails.'),
  failureKind: 'config',
};

/**
 * Statuses of the registry of IANA, and those that nginx, Cloudflare and load balancers answer
 * without being in it: https://www.iana.org/assignments/http-status-codes
 */
const BY_STATUS: Readonly<Record<number, StatusMeaning>> = {
  101: {
    failureKind: 'wrong-address',
    words: 'It expects another protocol than HTTP, such as WebSocket.',
  },
  401: { failureKind: 'auth' },
  403: { failureKind: 'auth' },
  404: NO_PATH,
  405: NO_PATH,
  407: {
    failureKind: 'auth',
    steps: 'proxy-login',
    words: 'A proxy in between requires its own credential.',
  },
  408: { failureKind: 'timeout' },
  410: NO_PATH,
  413: TOO_LARGE,
  414: TOO_LARGE,
  421: {
    failureKind: 'wrong-address',
    steps: 'host-not-served',
    words: 'The server has no site with this host name.',
  },
  426: {
    failureKind: 'wrong-address',
    words: 'It answers only in another version or protocol, which its header Upgrade names.',
  },
  429: { failureKind: 'rate-limited' },
  431: TOO_LARGE,
  444: { words: 'nginx closes the connection with this status.' },
  495: {
    failureKind: 'auth',
    steps: 'client-certificate',
    words: 'nginx returns this status for a client certificate that it does not accept.',
  },
  496: {
    failureKind: 'auth',
    steps: 'client-certificate',
    words: 'nginx returns this status for a client without a certificate.',
  },
  497: {
    failureKind: 'wrong-address',
    steps: 'tls',
    words: 'nginx returns this status for a request without TLS.',
  },
  501: NO_PATH,
  502: { steps: 'gateway' },
  504: { failureKind: 'timeout', steps: 'gateway' },
  507: { failureKind: 'disk-full' },
  508: { failureKind: 'config', steps: 'redirect-loop' },
  509: { failureKind: 'rate-limited', words: 'Its bandwidth is used up.' },
  511: {
    failureKind: 'network-policy',
    steps: 'captive-portal',
    words: 'This answer is from a network in between that requires a login, not from the service.',
  },
  520: behindProxy('Cloudflare returns this status for an answer that it cannot read.'),
  521: behindProxy('Cloudflare returns this status if the server behind it refuses connections.'),
  522: notInTime(
    'Cloudflare returns this status if the server behind it accepts no connection in time.',
  ),
  523: behindProxy('Cloudflare returns this status if the server behind it cannot be reached.'),
  524: notInTime('Cloudflare returns this status if the server behind it does not answer in time.'),
  525: CERTIFICATE_BEHIND,
  526: CERTIFICATE_BEHIND,
  529: { failureKind: 'load', words: 'Some services return this status if they are overloaded.' },
  530: behindProxy('Cloudflare returns this status if it cannot find the server behind it.'),
  598: notInTime(
    'Some proxies return this status if the server behind them does not answer in time.',
  ),
  599: notInTime(
    'Some proxies return this status if the server behind them does not answer in time.',
  ),
};

/** The meaning of an unexpected status; empty if it is only an error. */
export const meaningOfStatus = (status: number): StatusMeaning => BY_STATUS[status] ?? {};
