import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';

/** What it means that a server answers, and refuses. */
export interface SqlRefusal {
  symptom: Issue['symptom'];
  kind?: FailureKind;
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

/** The issue of a server that answers, and refuses; undefined for any other error. */
export function refusalOf(refusals: SqlRefusals, code: string, message: string): Issue | undefined {
  const known = Object.hasOwn(refusals, code) ? refusals[code] : undefined;
  if (known === undefined) return undefined;
  const { symptom, kind, title, advice } = known;
  return {
    severity: 'critical',
    symptom,
    ...(kind && { kind }),
    title: `${title} (${code})`,
    // Only the codes of servers, which begin with a digit, come with words of the server.
    detail: /^\d/.test(code) ? `${advice} It said: "${message}".` : advice,
  };
}
