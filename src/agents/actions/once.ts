import type { Blackboard } from '../../domain/blackboard.js';

/**
 * Whether a warning of this dispatch has not been given yet; from now on it has. Changes the board.
 */
export function once({ warned }: Blackboard, warning: string): boolean {
  if (warned.includes(warning)) return false;
  warned.push(warning);
  return true;
}
