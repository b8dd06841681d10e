import { SourceError } from '../http/source-error.js';
import type { KafkaConnection } from './kafka-connection.js';
import type { KafkaServer } from './kafka-server.js';
import { signInByScram } from './scram.js';
import { bytesOf, string } from './wire.js';

/** https://kafka.apache.org/protocol#protocol_error_codes */
const UNSUPPORTED_MECHANISM = 33;
const WRONG_STATE = 34;

/**
 * Signs in by SASL, if there is a login. A password is sent in clear text only over TLS with a
 * verified certificate.
 * @throws SourceError `refused` if the broker does not accept the credential
 */
export async function signIn(
  connection: KafkaConnection,
  { login, tls }: Pick<KafkaServer, 'login' | 'tls'>,
): Promise<void> {
  if (login === undefined) return;
  const { user, password, mechanism } = login;
  if (mechanism === 'PLAIN' && (tls === undefined || tls.trustSelfSigned === true))
    throw new SourceError(
      'failed',
      'PLAIN would send the password without TLS with a verified certificate: set tls, or use SCRAM',
    );
  const { answer } = await connection.call('saslHandshake', () => string(mechanism));
  const error = answer.int16();
  const offered = answer.list(() => answer.string().slice(0, 40));
  if (error === UNSUPPORTED_MECHANISM) {
    const others = offered.slice(0, 5).join(', ') || 'none';
    throw new SourceError('failed', `it does not offer ${mechanism}; it offers: ${others}`);
  }
  if (error === WRONG_STATE)
    throw new SourceError('failed', 'this listener wants no sign-in: leave out auth');
  if (error !== 0) throw new SourceError('failed', `it refuses to begin a sign-in (${error})`);
  const send = (message: Buffer) => authenticate(connection, message);
  if (mechanism === 'PLAIN') await send(Buffer.from(`\0${user}\0${password}`));
  else await signInByScram(login, send);
  connection.isLetIn = true;
}

async function authenticate(connection: KafkaConnection, message: Buffer): Promise<Buffer> {
  const { answer } = await connection.call('saslAuthenticate', () => bytesOf(message));
  const error = answer.int16();
  const said = answer.nullableString()?.slice(0, 200) ?? '';
  if (error !== 0)
    throw new SourceError('refused', `it does not accept the credential (${error}): ${said}`);
  return answer.bytesField();
}
