/** Verdicts in words. */
export const VERDICTS: Record<string, string> = {
  root_cause_found: 'Root cause found',
  issues_found: 'Issues found',
  healthy: 'Healthy',
  inconclusive: 'Inconclusive',
};
