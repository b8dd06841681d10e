import { describe, expect, test } from '@jest/globals';
import type { NextStep } from '../domain/diagnosis/finding.js';
import { FORMATS } from './registry.js';
import { GLOBAL, LogText } from '../../test/support/streams/log-text.js';
import { encodeLog, payloads } from '../../test/support/streams/encode.js';
import { reportOf } from '../../test/support/incidents/outcomes.js';

const next_steps: NextStep[] = [
  { text: 'Read the log of the database.', node: 'db', access: 'read' },
  { text: 'Start it.', node: 'db', access: 'change', command: 'systemctl start db' },
];
const log = new LogText().start('diagnosis').add('lifecycle.completed', GLOBAL, {
  summary: 'The database refuses connections. Found 0 warnings, 1 critical issue.',
  report: reportOf({ next_steps }),
  partial: false,
  reasons: [],
  usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
}).frames;

/** All texts within a value. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

describe.each(FORMATS)('format %s', (format) => {
  const shown = payloads(encodeLog(format, log)).flatMap(textsIn).join('');

  test('shows the next steps of a diagnosis, with their commands', () => {
    for (const { text, command = '' } of next_steps) {
      expect(shown).toContain(text);
      expect(shown).toContain(command);
    }
  });

  test('tells a step that changes the system from one that looks', () => {
    const order = /(?:Look|read)[^]*Read the log|Read the log[^]*read[^]*Start it/;
    expect(shown).toMatch(order);
    expect(shown).toMatch(/Change\*\*: Start it|Start it[^]*change/);
  });
});
