import { interruptSignal } from '../local/interrupt.js';

/** As `interruptSignal`; aborts also when the reader of the output has gone (`… | head`). */
export function commandInterrupt(): AbortSignal {
  const interrupt = interruptSignal();
  const gone = new AbortController();
  process.stdout.on('error', () => gone.abort());
  return AbortSignal.any([interrupt, gone.signal]);
}
