const UNTRUSTED = 'its certificate is signed by an authority that is not trusted: name it in `ca`';

/** OpenSSL's codes for a chain that ends at no known issuer. */
export const UNTRUSTED_CODES = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
] as const;

/** What connection errors mean, and what to check, by their code. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was closed before an answer: is the port right, or is it https://?',
  HPE_INVALID_CONSTANT: 'the server does not use HTTP: is the port right?',
  EPROTO: 'the server does not use TLS as expected: is the port right, or is it http://?',
  ...Object.fromEntries(UNTRUSTED_CODES.map((code) => [code, UNTRUSTED])),
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for other host names: is the address right, or is `serverName` missing?',
};

/** Why a request to a source failed, as a plain sentence if the code of the error is known. */
export function connectionWords(cause: unknown): string {
  const { code, message = String(cause) } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  const words = code === undefined ? undefined : WORDS[code];
  return words === undefined ? message : `${words} (${code})`;
}
