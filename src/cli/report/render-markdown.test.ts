import { describe, expect, it } from '@jest/globals';
import type { Report } from '../../domain/diagnosis/finding.js';
import type { NamedEvent } from '../../domain/events/event.js';
import { printableJson } from './layout.js';
import { plain } from './paint.js';
import { renderMarkdown } from './render-markdown.js';
import { renderNextSteps } from './render-next-steps.js';
import { RunFacts } from './run-facts.js';

const REPORT: Report = {
  verdict: 'root_cause_found',
  headline: 'Root cause: Redis: memory full.',
  impact: 'Web suffers from it.',
  root_causes: [
    {
      ...{ node: 'redis', kind: 'out-of-memory', title: 'Redis: memory full', confidence: 0.89 },
      ...{ evidence: [3], chain: ['web', 'redis'], basis: ['a critical issue was measured'] },
    },
  ],
  findings: [
    {
      ...{ node: 'redis', severity: 'critical', title: 'memory | full', evidence: [3] },
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
const LAST = {
  ...{ name: 'lifecycle.completed', run_id: 'r', sequence: 9, source: null },
  ...{
    timestamp: '2026-01-01T00:00:00.000Z',
    event: { category: 'lifecycle', action: 'completed' },
  },
  data: { summary: '', report: REPORT, partial: false, reasons: [], usage: {} },
} as unknown as Extract<NamedEvent, { name: 'lifecycle.completed' }>;

describe('renderMarkdown', () => {
  const page = renderMarkdown(LAST, new RunFacts());

  it('holds the headline, the chain, the evidence, the next steps and what was not checked', () => {
    expect(page).toContain('Root cause: Redis: memory full.');
    expect(page).toContain('89 % sure (a critical issue was measured). Chain: web → redis.');
    expect(page).toContain('- **Look**: Look at it. `redis-cli INFO`');
    expect(page).toContain('- **Change**: Restart it. (proposed by an agent, not checked)');
    expect(page).toContain('- **db**: No tool measures it.');
    expect(page).toContain('> The cache is \\*full\\*.');
  });

  it('escapes markup and drops control characters', () => {
    expect(page).toContain('memory \\| full');
    expect(page).toContain('\\<script\\>');
    expect(page).not.toMatch(/[\u001b\u202e]/);
  });
});

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

it('prints JSON that cannot steer a terminal', () => {
  const json = printableJson({ text: 'a\u009b31m\u202eb\u2028' });
  expect(json).toBe('{\n  "text": "a\\u009b31m\\u202eb\\u2028"\n}');
  expect(JSON.parse(json)).toEqual({ text: 'a\u009b31m\u202eb\u2028' });
});
