import { redactSecrets } from '../lib/redact-secrets.js';

/** UTF-16 code units. */
const MOST = 20_000;

/**
 * What a front end adds to a question, without credentials, as much of it as there is room for;
 * undefined where that is nothing.
 */
export const cutContext = (text: string): string | undefined =>
  text === '' ? undefined : redactSecrets(text).slice(0, MOST);
