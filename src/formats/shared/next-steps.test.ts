import { expect, it } from '@jest/globals';
import type { Report } from '../../domain/diagnosis/finding.js';
import { withNextSteps } from './next-steps.js';

const summary = 'The cache is down. Found 0 warnings, 1 critical issue.';

it('adds the next steps of a report to its summary, as a list', () => {
  const report = { next_steps: [{ text: 'Look at its log' }, { text: 'Restart it' }] };
  expect(withNextSteps({ summary, report: report as unknown as Report })).toBe(
    `${summary}\n\nNext steps:\n\n1. Look at its log\n2. Restart it`,
  );
  expect(withNextSteps({ summary, report: null })).toBe(summary);
});
