import type { AgentType } from '../events/event.js';

/** How the token budget of a run is divided among its agents. */
export interface TokenShares {
  budget: number;
  /** Only the agent at the top may use these, so that it can always conclude. */
  top: number;
  /** Only teams' supervisors, and the top. */
  supervisors: number;
  /** Of what is left: shared out to teams and their workers as long as they work; the rest is for the first that ask. */
  workers: number;
}

/** A tenth is kept for the top, a tenth for the supervisors of teams; half of what is left is shared out among workers. */
export function tokenShares(budget: number): TokenShares {
  const tenth = Math.floor(budget / 10);
  return { budget, top: tenth, supervisors: tenth, workers: Math.floor((budget - 2 * tenth) / 2) };
}

/** What all of a run may have used before agents of this kind make no more calls. */
export function tokenCeiling({ budget, top, supervisors }: TokenShares, type: AgentType): number {
  switch (type) {
    case 'worker':
      return budget - top - supervisors;
    case 'team_supervisor':
      return budget - top;
    case 'global_supervisor':
    case 'oracle':
      return budget;
  }
}
