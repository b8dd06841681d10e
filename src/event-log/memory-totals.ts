import type { Usage } from '../domain/events/event.js';
import type { ReadyEvent } from '../domain/events/frame.js';

/** Tokens and cost (hundred-millionths) of a run so far. */
export interface Totals {
  input: number;
  output: number;
  cost: number | undefined;
}

/** @param argument `input:output:cost` */
export function addUsage(totals: Totals, argument: string): void {
  const [input, output, cost] = argument.split(':');
  totals.input += Number(input);
  totals.output += Number(output);
  if (cost) totals.cost = (totals.cost ?? 0) + Number(cost);
}

/** Fills the slots of a frame's tail with the running totals; see `SLOTS` and `readyEvent`. */
export function fillSlots(
  kind: ReadyEvent['kind'],
  argument: string,
  tail: string,
  { input, output, cost }: Totals,
): string {
  const used = input + output;
  if (kind === 'once') {
    const budget = argument.split(':')[2];
    if (!budget) return tail;
    return tail
      .replaceAll('\0', String(used))
      .replaceAll('\x01', used.toLocaleString('en-US'))
      .replaceAll('\x02', String(Math.floor((used * 100) / Number(budget))));
  }
  return tail.replace('\0', () =>
    kind === 'usage' ? String(used) : JSON.stringify(usageOf({ input, output, cost })),
  );
}

export const usageOf = ({ input, output, cost }: Totals): Usage => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
  ...(cost !== undefined && { cost: cost / 1e8 }),
});
