import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import { UNTRUSTED_CODES } from '../../sources/http/connection-words.js';

/** The meaning of a server's refusal. */
export interface SqlRefusal {
  symptom: Issue['symptom'];
  kind?: FailureKind;
  /** As of an issue. */
  steps?: string;
  title: string;
  advice: string;
}

/** By the code of the server, or of its session (`NOT_POSTGRES`). */
export type SqlRefusals = Readonly<Record<string, SqlRefusal>>;

/** Of every server: it got no password. */
export const unsafePassword = (how: string): SqlRefusal => ({
  symptom: 'invalid',
  kind: 'auth',
  title: 'asks for a password that others could read',
  advice: `It got none. Use ${how}TLS with a verified certificate.`,
});

/** Of every server: `tls` or `sslmode` asks for what it does not have. */
export const NOT_OFFERED: SqlRefusal = {
  symptom: 'invalid',
  kind: 'config',
  title: 'does not offer TLS, although its setting requires it',
  advice:
    'The server answers. Turn TLS on there, or correct the setting: tls in SOURCES_FILE, sslmode in an endpoint.',
};

const UNTRUSTED: SqlRefusal = {
  symptom: 'invalid',
  kind: 'config',
  title: 'shows a certificate that is not trusted',
  advice:
    'The server answers. Name the authority of its certificate in the attribute ca, or set trustSelfSigned, if that is meant.',
};

/** For every server with TLS: the messages of OpenSSL and Node.js about its certificate. */
export const CERTIFICATE_REFUSALS: SqlRefusals = {
  ...Object.fromEntries(UNTRUSTED_CODES.map((code) => [code, UNTRUSTED])),
  CERT_HAS_EXPIRED: {
    symptom: 'invalid',
    kind: 'certificate-expired',
    title: 'shows a certificate that has expired',
    advice: 'Clients that verify it refuse to connect.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    symptom: 'invalid',
    kind: 'config',
    title: 'shows a certificate for other host names',
    advice: 'The address is wrong, or the attribute serverName is missing.',
  },
};

/**
 * The issue of a server that answers, and refuses; undefined for any other error. Codes of servers
 * (SQLSTATE, numbers of MySQL) begin with a digit, and only they have text of the server. An
 * unknown one is shown with this text: the server runs.
 */
export function refusalOf(refusals: SqlRefusals, code: string, message: string): Issue | undefined {
  const isOfServer = /^\d/.test(code);
  const known = Object.hasOwn(refusals, code) ? refusals[code] : undefined;
  if (known === undefined) return isOfServer ? unknownRefusal(code, message) : undefined;
  const { symptom, kind, steps, title, advice } = known;
  return {
    severity: 'critical',
    symptom,
    ...(kind && { kind }),
    ...(steps !== undefined && { steps }),
    title: `${title} (${code})`,
    detail: isOfServer ? `${advice} It said: "${message}".` : advice,
  };
}

const unknownRefusal = (code: string, message: string): Issue => ({
  severity: 'critical',
  symptom: 'erroring',
  title: `answers with an error: ${message} (${code})`,
  detail: `The server runs and is reached. It did not do what it was asked for. It said: "${message}".`,
});
