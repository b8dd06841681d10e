import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import { converse, tellWorld, USUAL } from '../../../../../test/support/incidents/oracle-world.js';

const idOf = (n: number): string => `01900000-0000-7000-8000-00000000000${n}`;

describe('a shortened id of a run', () => {
  it.each([
    ['01900000…0001', 1],
    ['01900000...0003', 3],
    ['01900000-0000…02', 2],
    [idOf(3), 3],
    [idOf(2).replaceAll('-', ''), 2],
  ])('is read as the whole one: %s', (short, n) =>
    expect(converse([`what did run ${short} find?`])).toMatch(new RegExp(`\nRun ${idOf(n)} of`)),
  );

  it('may be the beginning of the only run that begins so', () => {
    const runs = USUAL.slice(0, 1);
    expect(converse(['summarize 01900000'], { runs })).toContain(`Run ${idOf(3)} of topology 13`);
    expect(converse(['compare 01900000…0003 with 01900000…0001'])).toContain(
      `Run ${idOf(1)} of topology 11`,
    );
  });

  it('is asked for again if several runs begin so', () =>
    expect(converse(['what did run 01900000 find?'])).toMatch(
      /^The ids of several runs begin with "01900000"\. Which one do you mean\?\n(?:- .*\n){2}- /,
    ));

  it('is not known if no run begins so', () =>
    expect(converse(['what did run 0190ffff find?'])).toBe(
      'I know no run with an id that begins with "0190ffff".',
    ));

  it.each(['what happened at 12:30 on 20261122?', 'is 12345678 ok?', 'is defaced0 ok?'])(
    'is no number, and nothing that no run has: %s',
    (question) => expect(converse([question])).not.toContain('begins with'),
  );
});

describe('whether two runs found the same', () => {
  it.each([
    ['did 01900000…0001 and 01900000…0003 find the same?', /^No\.\n- Web shop /],
    ['do 01900000…0001 and 01900000…0003 have the same findings?', /^No\.\n- Web shop /],
  ])('is answered with no and the difference: %s', (question, answer) =>
    expect(converse([question])).toMatch(answer),
  );

  it('is answered with yes if they do', () => {
    const [, , shop] = USUAL;
    const again = { ...shop, run_id: idOf(4), created_at: '2026-11-22T08:40:00.000Z' };
    const runs = [again, ...USUAL] as typeof USUAL;
    for (const question of [
      'did 01900000…0001 and 01900000…0004 find the same?',
      'did the last two runs of the web shop find the same?',
    ])
      expect(converse([question], { runs })).toMatch(/^Yes\.\n.*\n.*\n- Both found the same\./);
  });
});

it('a run is not compared with itself, also if a list by time has it', () => {
  const [, , shop] = USUAL;
  const runs = [shop] as typeof USUAL;
  const answer = (tool: string, args: JsonObject): Json => {
    const { until: _, ...wanted } = args;
    return tellWorld(runs)(tool, wanted);
  };
  expect(converse(['compare 01900000…0001 with the run before'], { answer })).toMatch(
    /^No diagnosis of topology 11 completed before /,
  );
});
