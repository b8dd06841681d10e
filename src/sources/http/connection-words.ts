const UNTRUSTED = 'its certificate is signed by an authority that is not trusted: name it in `ca`';

/** What errors of connections mean, and what to look at, by their code. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was closed before an answer: is the port right, or is it https://?',
  HPE_INVALID_CONSTANT: 'the server does not use HTTP: is the port right?',
  EPROTO: 'the server does not use TLS as expected: is the port right, or is it http://?',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
};

/** Why a request to a source failed, in a plain sentence where the code of the error is known. */
export function connectionWords(cause: unknown): string {
  const { code, message = String(cause) } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  const words = code === undefined ? undefined : WORDS[code];
  return words === undefined ? message : `${words} (${code})`;
}
