import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^csk_([a-z2-7]{12})_([0-9A-Za-z]{43})_([0-9a-f]{8})$/;

/** A key as it is stored: its secret part cannot be derived from it. */
export interface HashedKey {
  id: string;
  /** SHA-256 of the whole key: a secret of 256 random bits needs no slow hash. */
  hash: Buffer;
}

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0');

/** @returns the key, which is shown once and never stored */
export function makeApiKey(): { key: string } & HashedKey {
  const id = Array.from(randomBytes(12), (byte) => BASE32[byte & 31]).join('');
  let number = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let secret = '';
  for (let i = 0; i < 43; i++, number /= 62n) secret += BASE62[Number(number % 62n)];
  const body = `csk_${id}_${secret}`;
  const key = `${body}_${checksum(body)}`;
  return { key, id, hash: hashOf(key) };
}

/** The id of a key; undefined if the text is not a key: mistyped, cut, or of another service. */
export function idOfApiKey(text: string): string | undefined {
  const [, id, , sum] = FORM.exec(text) ?? [];
  return sum === checksum(text.slice(0, -9)) ? id : undefined;
}

export const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Takes the same time for any two hashes. */
export const isSameHash = (a: Buffer, b: Buffer): boolean =>
  a.length === b.length && timingSafeEqual(a, b);
