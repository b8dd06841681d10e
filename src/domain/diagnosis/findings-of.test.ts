import { expect, test } from '@jest/globals';
import { findingsOf, measuredBy } from './findings-of.js';

const refused = (tool: string, expected: string) =>
  measuredBy(tool, tool, {
    issues: [
      {
        ...{ severity: 'critical', symptom: 'unreachable', title: 'connection refused' },
        detail: `3 of 3 tries failed: connection refused. Expected ${expected}.`,
      },
    ],
  });

test('two tools that measure the same fault make one finding, which repeats no sentence', () => {
  const both = [refused('tcp_probe', 'a connection'), refused('http_probe', 'status 200-399')];
  expect(findingsOf('web', both)).toMatchObject([
    {
      detail:
        '3 of 3 tries failed: connection refused. Expected a connection. Expected status 200-399.',
      evidence: ['tcp_probe', 'http_probe'],
    },
  ]);
});
