/**
 * Messages about a received TLS alert: of Java, OpenSSL, Go and others. The peer that does not
 * accept a certificate sends the alert (RFC 8446, section 6.2).
 */
const RECEIVED =
  /(alert received|received (a )?(fatal )?(tls )?alert|remote error: tls|(ssl|tls)\w{0,6}(\/tls)? alert)\b.{0,60}(certificate|unknown[_ ]?ca\b)/i;
/**
 * Messages of programs that do not accept a certificate themselves: Java, Go, OpenSSL, Python and
 * Node.js.
 */
const NOT_ACCEPTED =
  /PKIX path (validation|building) failed|(?<!remote error: tls: )x509: certificate|certificate verify failed|certificate has expired|CERT_HAS_EXPIRED/i;

/**
 * Which end of the connection has the refused certificate, according to a log line; undefined if it
 * does not show it.
 */
export function holderOfRefused(line: string): 'speaker' | 'far end' | undefined {
  if (RECEIVED.test(line)) return 'speaker';
  return NOT_ACCEPTED.test(line) ? 'far end' : undefined;
}
