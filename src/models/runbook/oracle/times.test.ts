import { expect, it, test } from '@jest/globals';
import { readTimes } from './times.js';

/** A Sunday. */
const NOW = Date.parse('2026-11-22T09:00:30Z');
const spanOf = (text: string) => {
  const { time, rest } = readTimes(text, NOW);
  const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
  return [time && `${iso(time.from)} ${iso(time.to)}`, rest.replace(/\s+/g, ' ').trim()];
};

test.each([
  ['at 08:20', '2026-11-22T08:20 2026-11-22T08:21'],
  ['at 12:30', '2026-11-21T12:30 2026-11-21T12:31'],
  ['at 12:30 utc.', '2026-11-21T12:30 2026-11-21T12:31', '.'],
  ['today at 12:30', '2026-11-22T12:30 2026-11-22T12:31'],
  ['at 12:30 yesterday', '2026-11-21T12:30 2026-11-21T12:31'],
  ['last night at 23:30', '2026-11-21T23:30 2026-11-21T23:31'],
  ['last night at 01:00', '2026-11-22T01:00 2026-11-22T01:01'],
  ['last night', '2026-11-21T18:00 2026-11-22T06:00'],
  ['this morning', '2026-11-22T00:00 2026-11-22T12:00'],
  ['yesterday evening', '2026-11-21T18:00 2026-11-22T00:00'],
  ['on friday', '2026-11-20T00:00 2026-11-21T00:00'],
  ['sunday', '2026-11-22T00:00 2026-11-23T00:00'],
  ['last sunday', '2026-11-15T00:00 2026-11-16T00:00'],
  ['this week', '2026-11-16T00:00 2026-11-23T00:00'],
  ['last month', '2026-10-01T00:00 2026-11-01T00:00'],
  ['last year', '2025-01-01T00:00 2026-01-01T00:00'],
  ['in 1989', '1989-01-01T00:00 1990-01-01T00:00'],
  ['on 2026-11-20', '2026-11-20T00:00 2026-11-21T00:00'],
  ['2026-11-20 12:30', '2026-11-20T12:30 2026-11-20T12:31'],
  ['2026-11-20t12:30:05z', '2026-11-20T12:30 2026-11-20T12:31'],
  ['since yesterday', '2026-11-21T00:00 2026-11-22T09:00'],
  ['in the last 2 hours', '2026-11-22T07:00 2026-11-22T09:00'],
  ['2 hours ago', '2026-11-22T07:00 2026-11-22T07:01'],
  ['3 days ago', '2026-11-19T00:00 2026-11-20T00:00'],
])('%s', (text, span, rest = '') => expect(spanOf(text)).toEqual([span, rest]));

it('leaves a time that it does not read', () => {
  for (const text of ['at 10.0.0.1:80', 'in 12345', 'run 1989', 'this morning at 15:00'])
    expect(spanOf(text)).toEqual([undefined, text]);
  expect(spanOf('from 12:00 to 13:00')[1]).toBe('to 13:00');
  expect(spanOf('yesterday or today')[1]).not.toBe('or');
});

test.each(['25:99', '24:00', '2026-13-45', '2026-02-30', '2026-13-45 12:00'])(
  '%s is no time',
  (text) => expect(readTimes(`at ${text}`, NOW)).toMatchObject({ time: undefined, noTime: text }),
);
