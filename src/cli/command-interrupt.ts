import { interruptSignal } from '../local/interrupt.js';

/** Aborts at Ctrl-C, or when the reader of the output has gone (`… | head`). */
export function commandInterrupt(interrupt = interruptSignal()): AbortSignal {
  const gone = new AbortController();
  process.stdout.on('error', () => gone.abort());
  return AbortSignal.any([interrupt, gone.signal]);
}
