import { describe, expect, test } from '@jest/globals';
import type { Format } from './registry.js';
import { encodeLog, payloads } from '../../test/support/streams/encode.js';
import { LOGS } from '../../test/support/streams/logs.js';

const log = (name: string) => LOGS[name] as string[];
const read = (format: Format, name: string) => payloads(encodeLog(format, log(name)));

describe.each(['oracle', 'agent', 'chat', 'ag-ui', 'ai-sdk'] as const)(
  '%s: what counts is shown once',
  (format) => {
    /** The complete text of the top-level agent, as a client assembles it. */
    const shown = (name: string) =>
      read(format, name)
        .filter(
          ({ type, subagentRunId }) =>
            subagentRunId === undefined && !/reason|thinking/i.test(String(type)),
        )
        .map(({ content, delta, text, type }) => {
          const words = delta ?? text ?? (type === 'content' ? content : undefined);
          return typeof words === 'string' ? words : '';
        })
        .join('')
        .replace(/\{"query".*?\}/g, '')
        .replace(/\s+/g, ' ')
        .trim();

    test('of a diagnosis, whose attempts may fail', () => {
      const text = shown('a diagnosis with an attempt that failed');
      expect(text).not.toContain('I will se');
      expect(text.split('The web is well').length).toBe(2);
      expect(text).toMatch(
        /^I send one team\. ?The web is well\. ?Found 0 warnings, 0 critical issues\.$/,
      );
    });

    test('of a chat without text: its summary', () =>
      expect(shown('no progress')).toBe('Nothing came of it.'));

    test('of a chat that was resumed', () =>
      expect(shown('a chat taken up again after its process was lost')).toBe('The disk is full.'));
  },
);
