import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { bytesOf, int16, list, string, type KafkaReader } from '../../src/sources/kafka/wire.js';

const UNSUPPORTED_MECHANISM = 33;
const WRONG_CREDENTIAL = 58;

export interface KafkaUser {
  name: string;
  password: string;
  mechanism: string;
  iterations?: number;
  lies?: true;
}

/** The sign-in of one connection to a scripted broker. */
export interface SignIn {
  user: KafkaUser | undefined;
  isSignedIn: boolean;
  mechanism: string;
  /** Of SCRAM: what was said so far. */
  said: string[];
}

/** Answers a request for the mechanism of a sign-in. */
export function handshakeBody(request: KafkaReader, session: SignIn): Buffer {
  session.mechanism = request.string();
  const offered = session.user?.mechanism ?? 'PLAIN';
  const error = session.mechanism === offered ? 0 : UNSUPPORTED_MECHANISM;
  return Buffer.concat([int16(error), list([string(offered)])]);
}

/** Answers one message of a sign-in. */
export function signInBody(request: KafkaReader, session: SignIn): Buffer {
  const answer = signInAnswer(request.bytesField().toString(), session);
  return answer === undefined
    ? Buffer.concat([
        int16(WRONG_CREDENTIAL),
        string('Authentication failed'),
        bytesOf(Buffer.alloc(0)),
      ])
    : Buffer.concat([int16(0), int16(-1), bytesOf(Buffer.from(answer))]);
}

/** The side of a server in PLAIN (RFC 4616) and SCRAM (RFC 5802); undefined: refused. */
function signInAnswer(text: string, session: SignIn): string | undefined {
  const { user } = session;
  if (user === undefined) return undefined;
  if (session.mechanism === 'PLAIN') {
    session.isSignedIn = text === `\0${user.name}\0${user.password}`;
    return session.isSignedIn ? '' : undefined;
  }
  if (session.said.length === 0) {
    const bare = text.slice('n,,'.length);
    const nonce = /r=(.*)$/.exec(bare)?.[1] ?? '';
    const first = `r=${nonce}server,s=${Buffer.from('salt').toString('base64')},i=${user.iterations ?? 4096}`;
    session.said = [bare, first];
    return first;
  }
  const hash = session.mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha512';
  const length = hash === 'sha256' ? 32 : 64;
  const salted = pbkdf2Sync(user.password, 'salt', user.iterations ?? 4096, length, hash);
  const hmac = (key: Buffer, of: string) => createHmac(hash, key).update(of).digest();
  const [, withoutProof = '', proof = ''] = /^(.*),p=(.*)$/.exec(text) ?? [];
  const all = [...session.said, withoutProof].join(',');
  const stored = createHash(hash).update(hmac(salted, 'Client Key')).digest();
  const signature = hmac(stored, all);
  const clientKey = Buffer.from(proof, 'base64').map((byte, at) => byte ^ (signature[at] ?? 0));
  if (!createHash(hash).update(clientKey).digest().equals(stored)) return undefined;
  session.isSignedIn = true;
  const ownProof = hmac(hmac(salted, user.lies ? 'Guess' : 'Server Key'), all);
  return `v=${ownProof.toString('base64')}`;
}
