import { redactSecrets } from '../lib/redact-secrets.js';

/** UTF-16 code units. */
const MOST = 20_000;

/**
 * The context that a front end adds to a question, without credentials and cut to the available
 * space; undefined if nothing is left.
 */
export const cutContext = (text: string): string | undefined =>
  text === '' ? undefined : redactSecrets(text).slice(0, MOST);
