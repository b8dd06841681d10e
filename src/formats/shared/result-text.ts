import type { Json } from '../../lib/json.js';

/** A tool's result where a format has room for a text only: a text as it is, anything else as JSON. */
export const resultText = (result: Json): string =>
  typeof result === 'string' ? result : JSON.stringify(result);

/** What went wrong, of the result of a call that failed. */
export function errorText(result: Json): string {
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) {
    const { error, message } = result;
    if (typeof error === 'string' && error !== '') return error;
    if (typeof message === 'string' && message !== '') return message;
  }
  return typeof result === 'string' && result !== ''
    ? result
    : 'The tool failed without saying why.';
}
