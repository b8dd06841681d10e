import type { AgentType } from '../events/event.js';

/** The division of a run's token budget among its agents. */
export interface TokenShares {
  budget: number;
  /** Reserved for the top agent, so that it can always conclude. */
  top: number;
  /** Reserved for team supervisors and the top agent. */
  supervisors: number;
  /**
   * Shared among teams and their workers while they work. Other tokens are granted in the order of
   * the calls.
   */
  workers: number;
}

/**
 * Reserves a tenth for the top agent and a tenth for team supervisors, and shares half of the rest
 * among workers.
 */
export function tokenShares(budget: number): TokenShares {
  const tenth = Math.floor(budget / 10);
  return { budget, top: tenth, supervisors: tenth, workers: Math.floor((budget - 2 * tenth) / 2) };
}

/** Used tokens of the run above which agents of this type stop calling models. */
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
