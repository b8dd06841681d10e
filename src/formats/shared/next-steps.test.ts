import { expect, it } from '@jest/globals';
import type { Report } from '../../domain/diagnosis/finding.js';
import { withNextSteps } from './next-steps.js';

const summary = 'The cache is down. Found 0 warnings, 1 critical issue.';

it('adds the next steps of a report to its summary, as a list', () => {
  const report = {
    next_steps: [
      { text: 'Read its log', access: 'read' },
      { text: 'Restart it', access: 'change', command: 'systemctl restart cache' },
    ],
  };
  expect(withNextSteps({ summary, report: report as unknown as Report })).toBe(
    `${summary}\n\nNext steps:\n\n1. **Look**: Read its log\n2. **Change**: Restart it \`systemctl restart cache\``,
  );
  expect(withNextSteps({ summary, report: null })).toBe(summary);
});

it('escapes what the texts of a report quote, and leaves the Markdown of a chat', () => {
  const report = {
    repairs: [{ outcome: 'failed', text: 'it said [a]' }],
    next_steps: [{ text: 'Read <b>', access: 'read' }],
  };
  expect(withNextSteps({ summary: '*It*', report: report as unknown as Report })).toBe(
    '\\*It\\*\n\nRepairs:\n\n1. failed: it said \\[a\\]\n\nNext steps:\n\n1. **Look**: Read \\<b\\>',
  );
  expect(withNextSteps({ summary: '*It*', report: null })).toBe('*It*');
});
