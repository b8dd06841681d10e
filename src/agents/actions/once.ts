import type { Blackboard } from '../../domain/blackboard.js';

/**
 * Whether a warning of this dispatch was not given yet, and marks it as given. Changes the board.
 */
export function once({ warned }: Blackboard, warning: string): boolean {
  if (warned.includes(warning)) return false;
  warned.push(warning);
  return true;
}
