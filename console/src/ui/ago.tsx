import { ago } from './format.js';
import { useNow } from './use-now.js';

const FRESH_MS = 10_000;

/** How long ago something was, which stays true on a page that is left open. */
export function Ago({ time }: { time: string | number }) {
  return ago(time, useNow(FRESH_MS));
}
