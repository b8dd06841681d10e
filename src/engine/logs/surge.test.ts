import { describe, expect, test } from '@jest/globals';
import { LogTemplates } from './log-templates.js';
import { surging } from './surge.js';

const MINUTE = 60_000;
/** An hour, reported after 50 minutes: the first 25 are quiet. */
const frame = { start: 0, now: 60 * MINUTE, reportedAt: 50 * MINUTE };

/**
 * An error each `usual` minutes until minute 40, then each `since`; and a harmless line each
 * minute.
 *
 * @param burst so many more errors in minute 31
 */
function linesOf(usual: number, since: number, harmless = 1, burst = 0) {
  const templates = new LogTemplates(25 * MINUTE);
  const add = (minute: number, severity: string, body: string) =>
    templates.add({ at: minute * MINUTE, node: 'cart', severity, body, labels: {} });
  for (let minute = 0; minute < 60; minute += 1) add(minute, 'INFO', 'request served');
  for (let minute = 40; minute < 60; minute += harmless) add(minute, 'INFO', 'request served');
  for (let minute = 0; minute < 40; minute += usual) add(minute, 'ERROR', 'payment timed out');
  for (let i = 0; i < burst; i += 1) add(31, 'ERROR', 'payment timed out');
  for (let minute = 40; minute < 60; minute += since) add(minute, 'ERROR', 'payment timed out');
  return templates.all();
}

describe('surging', () => {
  test('is an error that was seldom, from the time on that it is frequent', () => {
    const [found, ...others] = surging(linesOf(8, 0.1), frame);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ surges: true, sample: { body: 'payment timed out' } });
    expect(found?.first).toBe(40 * MINUTE);
  });

  test('does not begin with a burst that ended before', () => {
    expect(surging(linesOf(8, 0.1, 1, 20), frame)).toMatchObject([{ first: 40 * MINUTE }]);
  });

  test.each([
    ['that goes on as before', linesOf(1, 1)],
    ['of which there are a few more', linesOf(8, 4)],
    ['that grows as all lines do', linesOf(2, 0.1, 0.05)],
    [
      'of which a part was read',
      linesOf(8, 0.1).map((each) => ({ ...each, isCut: true as const })),
    ],
  ])('is no error %s', (_, templates) => {
    expect(surging(templates, frame)).toEqual([]);
  });

  test('is nothing where no time is left after the quiet one', () => {
    expect(surging(linesOf(8, 0.1), { ...frame, now: 25 * MINUTE })).toEqual([]);
    expect(surging([], frame)).toEqual([]);
  });
});
