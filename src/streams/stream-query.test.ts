import { describe, expect, it } from '@jest/globals';
import { readCursor, readFormat, refuseBlindRetry } from './stream-query.js';

describe('readFormat', () => {
  it('returns the default without a format, else the one that is named', () => {
    expect([readFormat(undefined, 'chat'), readFormat('ai-sdk', 'chat')]).toEqual([
      'chat',
      'ai-sdk',
    ]);
  });

  it.each(['', 'xml', ['chat'], 'toString'])('refuses %j', (format) =>
    expect(() => readFormat(format, 'chat')).toThrow('The query is not valid'),
  );
});

describe('refuseBlindRetry', () => {
  it('refuses a cursor without an Idempotency-Key', () => {
    expect(() => refuseBlindRetry('7', undefined)).toThrow(/cannot resume one/);
    expect(() => refuseBlindRetry('7', 'key')).not.toThrow();
    expect(() => refuseBlindRetry(undefined, undefined)).not.toThrow();
    expect(() => refuseBlindRetry('', undefined)).not.toThrow();
  });
});

describe('readCursor', () => {
  it('prefers Last-Event-ID to the query', () => {
    expect(readCursor('executor', '7', '3')).toEqual({ after: 7, parts: 0 });
    expect(readCursor('executor', '', '3')).toEqual({ after: 3, parts: 0 });
    expect(readCursor('executor', undefined, undefined)).toEqual({ after: 0, parts: 0 });
  });

  it('reads a position within an event only in formats with several frames per event', () => {
    expect(readCursor('ai-sdk', '7.2', undefined)).toEqual({ after: 6, parts: 2 });
    expect(() => readCursor('executor', '7.2', undefined)).toThrow(
      'Last-Event-ID must be the id of an event of this run, or 0',
    );
  });

  it.each(['-1', '1.', '.1', '0.1', '1.0', '9'.repeat(17), 'abc', '7 ', ['7'], 7])(
    'refuses %j',
    (id) =>
      expect(() => readCursor('ai-sdk', undefined, id)).toThrow(
        'after must be the id of an event of this run, or 0',
      ),
  );
});
