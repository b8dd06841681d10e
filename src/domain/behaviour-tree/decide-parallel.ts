import type { TreeOutcome, Policy } from './tree.js';

/** The outcome of a parallel by its policy, or null if it is not decided yet. */
export function decideParallel(
  policy: Policy,
  children: number,
  succeeded: number,
  failed: number,
): TreeOutcome | null {
  if (policy.policy === 'continue') return succeeded + failed === children ? 'success' : null;
  const needed = policy.policy === 'n' ? policy.n : policy.policy === 'one' ? 1 : children;
  if (succeeded >= needed) return 'success';
  return failed > children - needed ? 'failure' : null;
}
