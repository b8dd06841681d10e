import { describe, expect, it } from '@jest/globals';
import { parseRetryAfter } from './retry-after.js';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);

describe('parseRetryAfter', () => {
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': ' 0 ' }, 0],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after': '20', 'retry-after-ms': '150.2' }, 151],
    [{ 'retry-after': 'Thu, 01 Jan 2026 12:00:09 GMT' }, 9_000],
    [{ 'retry-after': 'Thursday, 01-Jan-26 12:00:09 GMT' }, 9_000],
    [
      { 'retry-after': 'Thu, 01 Jan 2026 12:00:09 GMT', date: 'Thu, 01 Jan 2026 12:00:05 GMT' },
      4_000,
    ],
    [{ 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': '1e9' }, undefined],
    [{ 'retry-after': 'Thu, 99 Foo 2026' }, undefined],
    [{}, undefined],
  ])('reads %j as %s ms', (headers, ms) =>
    expect(parseRetryAfter(headers as Record<string, string>, NOW)).toBe(ms),
  );
});
