import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Symptom } from '../../domain/diagnosis/finding.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import { UnmeasuredError } from '../unmeasured-error.js';
import { TimeLimitError } from './within.js';

/** The phase in which a connection failed. */
export type ConnectionPhase = 'connect' | 'tls' | 'answer';

/** Why a target did not answer. */
export interface NetworkFault {
  kind: 'dns' | 'refused' | 'unreachable' | 'timeout' | 'reset' | 'tls' | 'protocol' | 'other';
  symptom: Symptom;
  text: string;
  /** For a time-out: how long was waited. */
  waitedMs?: number;
  /** Nothing was waited for: the target, or its host, refused. */
  atOnce?: true;
  /** The kind of failure, if the fault itself shows it. */
  failureKind?: FailureKind;
  /** The entry of the catalogue of next steps, if more is known than the kind. */
  steps?: string;
}

/** Something answers, but not with the expected protocol. */
export const wrongAddress = (text: string): NetworkFault => ({
  kind: 'protocol',
  symptom: 'invalid',
  text,
  failureKind: 'wrong-address',
});

/** @param scheme that the address should have: `https://` */
export const speaksTlsFault = (scheme: string): NetworkFault => ({
  ...wrongAddress(`the address speaks TLS: use ${scheme}`),
  steps: 'tls',
});

/** @param expected the expected server: "a Redis at 127.0.0.1:6379" */
export const faultIssue = (
  { symptom, text, waitedMs, atOnce, failureKind, steps }: Omit<NetworkFault, 'kind'>,
  expected: string,
): Issue => ({
  severity: 'critical',
  symptom,
  title: text,
  detail: `Expected ${expected}.`,
  ...(waitedMs !== undefined && { duration_ms: waitedMs }),
  ...(atOnce && { took_ms: 0 }),
  ...(failureKind && { kind: failureKind }),
  ...(steps !== undefined && { steps }),
});

const CODES: Record<string, [NetworkFault['kind'], Symptom, string]> = {
  ENOTFOUND: ['dns', 'nameless', 'host name does not resolve'],
  ECONNREFUSED: ['refused', 'unreachable', 'connection refused'],
  EHOSTUNREACH: ['unreachable', 'unreachable', 'no route to the host'],
  ENETUNREACH: ['unreachable', 'unreachable', 'network unreachable'],
  EHOSTDOWN: ['unreachable', 'unreachable', 'host is down'],
  EADDRNOTAVAIL: ['unreachable', 'unreachable', 'address not available'],
  EACCES: ['unreachable', 'unreachable', 'connection not permitted'],
  EPERM: ['unreachable', 'unreachable', 'connection not permitted'],
};
/**
 * Codes of OpenSSL and Node.js with which a handshake fails, and their meaning. A probe sends no
 * certificate: an alert about the certificate of the client asks for one. `handshake_failure` is
 * such an alert before TLS 1.3, and states only that the far end ends the handshake.
 */
const BY_TLS_CODE: readonly [RegExp, Pick<NetworkFault, 'failureKind' | 'steps'>][] = [
  [/^CERT_HAS_EXPIRED$/, { failureKind: 'certificate-expired' }],
  [
    /ALERT_(?:CERTIFICATE_(?:REQUIRED|UNKNOWN|REVOKED|EXPIRED)|(?:BAD|UNSUPPORTED|NO)_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)$/,
    { failureKind: 'auth', steps: 'client-certificate' },
  ],
  [/ALERT_HANDSHAKE_FAILURE$/, { failureKind: 'config', steps: 'tls-refused' }],
  [
    /ALERT_PROTOCOL_VERSION$|UNSUPPORTED_PROTOCOL$|NO_SHARED_CIPHER$|ALERT_INSUFFICIENT_SECURITY$/,
    { failureKind: 'config', steps: 'tls-refused' },
  ],
  [/UNRECOGNIZED_NAME$/, { failureKind: 'wrong-address', steps: 'host-not-served' }],
];
/** Codes that are returned immediately; the others may have been waited for. */
const AT_ONCE = new Set<NetworkFault['kind']>(['dns', 'refused']);
const RESETS = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);
/** Shortages of this process: then nothing is known about the target. */
const LOCAL = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);
/**
 * The resolver of this machine did not answer, or could not: that is not a property of the target.
 */
const OF_RESOLVER = new Set(['EAI_AGAIN', 'EAI_FAIL']);
const TIMEOUTS: Record<ConnectionPhase, [Symptom, string]> = {
  // A SYN without an answer is a dead host; a connection without an answer is a hanging process.
  connect: ['unreachable', 'no connection'],
  tls: ['slow', 'connected, but no TLS handshake'],
  answer: ['slow', 'connected, but no complete answer'],
};
const RESET_TEXTS: Record<ConnectionPhase, string> = {
  connect: 'connection reset while connecting',
  tls: 'connection closed during the TLS handshake',
  answer: 'connection closed before the answer was complete',
};

/**
 * `code` of a system or OpenSSL error. Not `instanceof`: Jest gives tests a realm with an `Error`
 * of its own.
 */
export function codeOf(error: unknown): string {
  const code =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

export const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);

/**
 * What an error of `net`, `tls`, `http` or `dns` shows about the target. An `AggregateError` of
 * several addresses has the code of the first.
 * @throws UnmeasuredError as it is, and if the fault is on our side (file descriptors, memory, the
 *   resolver), so that no target is blamed for it
 */
export function classify(error: unknown, phase: ConnectionPhase): NetworkFault {
  if (error instanceof UnmeasuredError) throw error;
  const code = codeOf(error);
  if (LOCAL.has(code))
    throw new UnmeasuredError(
      `the probe itself ran out of resources (${code}); try again with fewer at once`,
      { cause: error },
    );
  if (OF_RESOLVER.has(code)) throw resolverError(code, error);
  const known = CODES[code];
  if (known && (phase === 'connect' || known[0] !== 'dns'))
    return {
      kind: known[0],
      symptom: known[1],
      text: `${known[2]} (${code})`,
      ...(AT_ONCE.has(known[0]) && { atOnce: true }),
      ...(known[0] === 'dns' && { failureKind: 'dns' }),
    };
  if (error instanceof TimeLimitError || code === 'ETIMEDOUT') {
    const [symptom, text] = TIMEOUTS[phase];
    return {
      kind: 'timeout',
      symptom,
      text:
        error instanceof TimeLimitError
          ? `${text} within ${error.limitMs} ms`
          : `${text} (ETIMEDOUT)`,
      ...(error instanceof TimeLimitError && { waitedMs: error.limitMs }),
      ...(symptom === 'slow' && { failureKind: 'timeout' }),
    };
  }
  if (RESETS.has(code))
    return {
      kind: 'reset',
      symptom: phase === 'connect' ? 'unreachable' : 'erroring',
      text: RESET_TEXTS[phase],
      ...(phase === 'connect' && { atOnce: true }),
      failureKind: 'exception',
    };
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return wrongAddress(NO_TLS);
  if (phase === 'tls' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    const known = BY_TLS_CODE.find(([pattern]) => pattern.test(code))?.[1];
    const text = `TLS handshake failed: ${tlsReason(error)}`;
    return { kind: 'tls', symptom: 'invalid', text, ...known };
  }
  // The first bytes are not `HTTP/`.
  if (code === 'HPE_INVALID_CONSTANT')
    return wrongAddress(`the server does not use HTTP${greetingIn(error)}`);
  if (code.startsWith('HPE_'))
    return {
      kind: 'protocol',
      symptom: 'erroring',
      text: `the answer is not valid HTTP (${code})`,
    };
  if (code.startsWith('Z_'))
    return {
      kind: 'other',
      symptom: 'erroring',
      text: `the compressed answer is broken (${code})`,
    };
  return {
    kind: 'other',
    symptom: phase === 'connect' ? 'unreachable' : 'erroring',
    text: code || messageOf(error).slice(0, 120),
  };
}

/** Nothing is known about a node if the resolver of this machine gave no answer about its name. */
export const resolverError = (code: string, cause: unknown): UnmeasuredError =>
  new UnmeasuredError(
    `the resolver of this service did not answer the question for the host name (${code})`,
    { cause },
  );

/** The first bytes of the answer are no record of TLS of any version. */
export const NO_TLS = 'TLS handshake failed: the server does not use TLS';

/** Maximum characters of a greeting that are shown. */
const MOST_GREETING = 60;

/**
 * The first line of what Node's HTTP parser refused, which often names the server: `: it says
 * "SSH-2.0-OpenSSH_9.2"`; empty if it is not plain text.
 */
function greetingIn(error: unknown): string {
  const raw =
    typeof error === 'object' && error !== null && 'rawPacket' in error ? error.rawPacket : '';
  if (!(raw instanceof Uint8Array)) return '';
  const [line = ''] = Buffer.from(raw.subarray(0, 4 * MOST_GREETING))
    .toString('latin1')
    .split(/[\r\n]/);
  if (!/^[ -~]+$/.test(line)) return '';
  const shown = line.replaceAll('"', "'").slice(0, MOST_GREETING);
  return `: it says "${shown}${line.length > MOST_GREETING ? '…' : ''}"`;
}

/** OpenSSL's own words, without its file names and numbers. */
function tlsReason(error: unknown): string {
  const reason =
    typeof error === 'object' && error !== null && 'reason' in error ? error.reason : undefined;
  return typeof reason === 'string' ? reason : codeOf(error) || messageOf(error).slice(0, 120);
}
