import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { SourceError } from '../http/source-error.js';
import type { KafkaLogin } from './kafka-server.js';

/**
 * Fewer iterations would let the server guess the password from the answer; more would cost this
 * process too much time.
 */
const LEAST_ITERATIONS = 4_096;
const MOST_ITERATIONS = 100_000;
const MOST_TEXT = 2_000;
const derive = promisify(pbkdf2);

const wrong = (why: string) => new SourceError('failed', `its sign-in is not SCRAM: ${why}`);

/**
 * Signs in by SCRAM (RFC 5802): the server gets a proof that this client knows the password, and
 * must give one itself.
 * @param send sends a message and returns the answer of the server
 * @throws SourceError if the server violates the protocol, or cannot prove that it knows the
 *   password
 */
export async function signInByScram(
  { user, password, mechanism }: KafkaLogin,
  send: (message: Buffer) => Promise<Buffer>,
  nonce = randomBytes(18).toString('base64'),
): Promise<void> {
  const hash = mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha512';
  const hmac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest();
  const name = user.replaceAll('=', '=3D').replaceAll(',', '=2C');
  const clientFirst = `n=${name},r=${nonce}`;
  const serverFirst = textOf(await send(Buffer.from(`n,,${clientFirst}`)));
  const [, both = '', salt = '', digits] =
    /^r=([\x21-\x2b\x2d-\x7e]+),s=([A-Za-z0-9+/=]+),i=(\d{1,9})$/.exec(serverFirst) ?? [];
  const iterations = Number(digits);
  if (!both.startsWith(nonce) || both === nonce) throw wrong('it does not answer the challenge');
  if (iterations < LEAST_ITERATIONS || iterations > MOST_ITERATIONS)
    throw wrong(`${iterations} iterations, not ${LEAST_ITERATIONS} to ${MOST_ITERATIONS}`);
  const length = hash === 'sha256' ? 32 : 64;
  const salted = await derive(password, Buffer.from(salt, 'base64'), iterations, length, hash);
  const clientKey = hmac(salted, 'Client Key');
  const withoutProof = `c=biws,r=${both}`;
  const exchanged = `${clientFirst},${serverFirst},${withoutProof}`;
  const signature = hmac(createHash(hash).update(clientKey).digest(), exchanged);
  const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)));
  const serverFinal = textOf(
    await send(Buffer.from(`${withoutProof},p=${proof.toString('base64')}`)),
  );
  if (serverFinal.startsWith('e='))
    throw new SourceError(
      'refused',
      `it does not accept the credential (${serverFinal.slice(2, 80)})`,
    );
  const expected = hmac(hmac(salted, 'Server Key'), exchanged);
  const given = Buffer.from(/^v=([A-Za-z0-9+/=]+)/.exec(serverFinal)?.[1] ?? '', 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw wrong('it cannot prove that it knows the password');
}

function textOf(message: Buffer): string {
  if (message.length > MOST_TEXT) throw wrong(`a message of ${message.length} bytes`);
  return message.toString();
}
