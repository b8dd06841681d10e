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
  ['on november 20', '2026-11-20T00:00 2026-11-21T00:00'],
  ['on 20 nov. at 3pm', '2026-11-20T15:00 2026-11-20T15:01'],
  ['the 3rd of march, 2025', '2025-03-03T00:00 2025-03-04T00:00'],
  ['december 1st', '2025-12-01T00:00 2025-12-02T00:00'],
  ['nov 20 08:15', '2026-11-20T08:15 2026-11-20T08:16'],
  ['in november', '2026-11-01T00:00 2026-12-01T00:00'],
  ['in december', '2025-12-01T00:00 2026-01-01T00:00'],
  ['last may', '2026-05-01T00:00 2026-06-01T00:00'],
  ['during february 2024', '2024-02-01T00:00 2024-03-01T00:00'],
  ['since november 20', '2026-11-20T00:00 2026-11-22T09:00'],
  ['at 3pm', '2026-11-21T15:00 2026-11-21T15:01'],
  ['at 8 a.m.', '2026-11-22T08:00 2026-11-22T08:01'],
  ['at 12am', '2026-11-22T00:00 2026-11-22T00:01'],
  ['at 12:05 pm', '2026-11-21T12:05 2026-11-21T12:06'],
  ['yesterday at noon', '2026-11-21T12:00 2026-11-21T12:01'],
  ['at midnight', '2026-11-22T00:00 2026-11-22T00:01'],
  ['since yesterday', '2026-11-21T00:00 2026-11-22T09:00'],
  ['in the last 2 hours', '2026-11-22T07:00 2026-11-22T09:00'],
  ['2 hours ago', '2026-11-22T07:00 2026-11-22T07:01'],
  ['3 days ago', '2026-11-19T00:00 2026-11-20T00:00'],
  ['5 min ago', '2026-11-22T08:55 2026-11-22T08:56'],
  ['in the last 15 mins', '2026-11-22T08:45 2026-11-22T09:00'],
  ['the day before yesterday', '2026-11-20T00:00 2026-11-21T00:00'],
  ['last weekend', '2026-11-14T00:00 2026-11-16T00:00'],
  ['from 07:00 to 08:30', '2026-11-22T07:00 2026-11-22T08:30'],
  ['between 12:00 and 13:00 utc', '2026-11-21T12:00 2026-11-21T13:00'],
  ['between 08:40 and 23:50', '2026-11-22T08:40 2026-11-22T09:00'],
  ['between 09:00 and 09:10', '2026-11-22T09:00 2026-11-22T09:00'],
  ['between 22:00 and 09:30', '2026-11-21T22:00 2026-11-22T09:00'],
  ['after 08:46:30', '2026-11-22T08:46 2026-11-22T09:00'],
  ['between 23:00 and 01:00', '2026-11-21T23:00 2026-11-22T01:00'],
  ['yesterday between 2 and 3 pm', '2026-11-21T14:00 2026-11-21T15:00'],
  ['from 11 a.m. until 1:30 pm on friday', '2026-11-20T11:00 2026-11-20T13:30'],
])('%s', (text, span, rest = '') => expect(spanOf(text)).toEqual([span, rest]));

it('leaves a time that it does not read', () => {
  for (const text of [
    'at 10.0.0.1:80',
    'in 12345',
    'run 1989',
    'this morning at 15:00',
    'may it fail',
    'at 13pm',
    'port 8080 pm2',
    'the 5 marked nodes',
    'is it decided',
  ])
    expect(spanOf(text)).toEqual([undefined, text]);
  expect(spanOf('between 2 and 3')).toEqual([undefined, 'between 2 and 3']);
  expect(spanOf('at 12:00 and 13:00')[1]).toBe('and 13:00');
  expect(spanOf('yesterday or today')[1]).not.toBe('or');
});

test.each(['25:99', '24:00', '2026-13-45', '2026-02-30', '2026-13-45 12:00'])(
  '%s is no time',
  (text) => expect(readTimes(`at ${text}`, NOW)).toMatchObject({ time: undefined, noTime: text }),
);

it('shows a date that is none in numerals', () =>
  expect(readTimes('on february 30', NOW)).toMatchObject({ noTime: '2026-02-30' }));
