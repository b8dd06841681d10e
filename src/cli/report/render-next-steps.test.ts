import { describe, expect, it } from '@jest/globals';
import type { Report } from '../../domain/diagnosis/finding.js';
import { printableJson } from './layout.js';
import { plain } from './paint.js';
import { renderNextSteps } from './render-next-steps.js';

const REPORT: Report = {
  verdict: 'root_cause_found',
  headline: 'Root cause: Redis: memory full.',
  impact: 'Web is affected by it.',
  root_causes: [
    {
      node: 'redis',
      kind: 'out-of-memory',
      title: 'Redis: memory full',
      confidence: 0.89,
      evidence: [3],
      chain: ['web', 'redis'],
      basis: ['a critical issue was measured'],
    },
  ],
  findings: [
    {
      node: 'redis',
      severity: 'critical',
      title: 'memory | full',
      evidence: [3],
      detail: '<script>alert(1)</script> \u001b[31mred\u202e',
    },
  ],
  unchecked: [{ node: 'db', reason: 'NO_TOOL', detail: 'No tool measures it.' }],
  next_steps: [
    { text: 'Look at it.', access: 'read', command: 'redis-cli INFO', origin: 'catalogue' },
    { text: 'Restart it.', access: 'change', origin: 'agent' },
  ],
  narrative: 'The cache is *full*.',
  counts: { critical: 1, warning: 0, info: 0 },
};

describe('renderNextSteps', () => {
  it('marks what changes the system, and shows the command below its step', () => {
    expect(renderNextSteps(REPORT, { columns: 80, paint: plain })).toEqual([
      'Next steps',
      '  look    Look at it.',
      '          $ redis-cli INFO',
      '  change  Restart it. (proposed by an agent, not checked)',
      '',
    ]);
  });
});

it('L2: prints JSON that cannot steer a terminal', () => {
  const json = printableJson({ text: 'a\u009b31m\u202eb\u2028' });
  expect(json).toBe('{\n  "text": "a\\u009b31m\\u202eb\\u2028"\n}');
  expect(JSON.parse(json)).toEqual({ text: 'a\u009b31m\u202eb\u2028' });
});
