import { hash, randomBytes } from 'node:crypto';

const FORM = /^[\w-]{43}$/;

/** A random secret for a client, and the name under which the store keeps its value. */
export function makeToken(): { token: string; name: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, name: digestOf(token) };
}

export const isToken = (text: string): boolean => FORM.test(text);

/** The store never holds the token itself. */
export const digestOf = (token: string): string => hash('sha256', token, 'hex');
