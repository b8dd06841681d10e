import { describe, expect, it, test } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import { RUNS, ask, id, tell } from '../../../../../test/support/incidents/oracle-questions.js';

/** As many runs as are read at most. */
const MANY = Array.from({ length: 20 }, (_, i) => ({ ...RUNS[0], run_id: id(i) }));

/** As `tell`, with as many runs of today as are read at most. */
function tellMany(tool: string, args: JsonObject): Json {
  if (tool !== 'list_runs') return tell(tool, args);
  return { runs: (args['since'] === undefined ? MANY : []) as unknown as Json };
}

describe('what happened at a time', () => {
  test.each([
    ['what happened at 08:20?', 2, 'At 2026-11-22 08:20 UTC this run was under way:'],
    [
      'what happened at 12:30?',
      4,
      'At 2026-11-22 12:30 UTC no run was under way. The nearest began at 2026-11-22 08:40:00 UTC:',
    ],
    [
      'what happened to the shop at 12:30?',
      3,
      'At 2026-11-22 12:30 UTC no run was under way. The nearest began at 2026-11-22 08:30:00 UTC:',
    ],
    [
      'what went wrong at 23:50?',
      1,
      'At 2026-11-21 23:50 UTC no run was under way. The nearest began at 2026-11-22 08:10:00 UTC:',
    ],
    ['what was found 2026-11-22 08:10?', 1, 'At 2026-11-22 08:10 UTC this run was under way:'],
  ])('%s', (question, n, first) => {
    const { text } = ask(question);
    expect(text.split('\n')[0]).toBe(first);
    expect(text).toContain(id(n));
  });
});

test('of a minute in which several runs were under way, all are listed', () => {
  const runs = ['00', '20', '40'].map((second, i) => ({
    ...RUNS[i],
    created_at: `2026-11-22T23:27:${second}.000Z`,
    ended_at: `2026-11-22T23:27:${second}.900Z`,
  }));
  const answer = (tool: string, args: JsonObject): Json =>
    tool === 'list_runs'
      ? { runs: (args['since'] === undefined ? runs : []) as unknown as Json }
      : tell(tool, args);
  const { text, called } = ask('what happened at 23:27?', {
    answer,
    now: '2026-11-23T01:00:00Z',
  });
  expect(text).toMatch(/^At 2026-11-22 23:27 UTC these 3 runs were under way; .*:\n- /);
  for (const { run_id } of RUNS.slice(0, 3)) expect(text).toContain(run_id);
  expect(called).not.toContain('get_run');
});

test.each(['25:99', '24:00', '12:60', '2026-13-45 12:00'])('there is no time %s', (time) => {
  const { text, called } = ask(`what happened at ${time}?`);
  expect(text).toMatch(new RegExp(`^There is no time ${time}\\. `));
  expect(called.filter((tool) => tool !== 'list_topologies')).toEqual([]);
});

describe('what happened in a range of time', () => {
  const FIRST = 'The nearest began at 2026-11-22 08:10:00 UTC:';
  const none = (range: string) =>
    `${range} no run was under way: no such run is kept from that time. ${FIRST}`;
  test.each([
    ['what happened in 1989?', none('From 1989-01-01 00:00 UTC to 1990-01-01 00:00 UTC')],
    ['what happened yesterday?', none('On 2026-11-21 (UTC)')],
    ['what happened last night?', none('From 2026-11-21 18:00 UTC to 2026-11-22 06:00 UTC')],
    ['what failed on monday?', none('On 2026-11-16 (UTC)')],
    [
      'What was broken yesterday at 12:30?',
      `At 2026-11-21 12:30 UTC no run was under way. ${FIRST}`,
    ],
    [
      'what happened today?',
      'On 2026-11-22 (UTC) these 4 runs were under way; ask me about one by its id:',
    ],
    [
      'what failed today?',
      'On 2026-11-22 (UTC) 2 of 4 runs failed or found issues; ask me about one by its id:',
    ],
    [
      'any problems with the blog today?',
      'On 2026-11-22 (UTC) no run failed or found issues, of 1 run that was under way.',
    ],
    ['what happened to the blog on 2026-11-22?', 'On 2026-11-22 (UTC) this run was under way:'],
    [
      'which runs failed today?',
      'On 2026-11-22 (UTC) these 4 failed runs were under way; ask me about one by its id:',
    ],
    [
      'what happened today at 14:30?',
      '2026-11-22 14:30 UTC is still to come: no run is kept from that time.',
    ],
  ])('%s', (question, first) => expect(ask(question).text.split('\n')[0]).toBe(first));

  it('is counted if a question asks how many', () => {
    const question = 'how many runs today?';
    expect(ask(question).text).toBe('On 2026-11-22 (UTC) 4 runs began.');
    expect(ask('how many runs of the shop today?').text).toBe(
      'On 2026-11-22 (UTC) 3 runs of topology 7 began.',
    );
    const answer = (tool: string, args: JsonObject): Json =>
      args['count'] === true ? { count: 4_711 } : tell(tool, args);
    expect(ask(question, { answer }).text).toBe('On 2026-11-22 (UTC) 4711 runs began.');
    expect(ask('how many runs are there?', { answer }).text).toBe('There are 4711 diagnoses.');
  });

  it('is the last such time that has passed', () =>
    expect(ask('what was broken at 12:30?', { now: '2026-11-22T09:00:00Z' }).text).toMatch(
      /^At 2026-11-21 12:30 UTC no run was under way/,
    ));

  it('finds a run of the time however many came later', () => {
    const old = {
      ...RUNS[3],
      created_at: '2026-11-01T08:10:00.000Z',
      ended_at: '2026-11-01T08:10:02.500Z',
    };
    const answer = (tool: string, args: JsonObject): Json => {
      if (tool === 'get_run') return old as unknown as Json;
      if (tool !== 'list_runs') return tell(tool, args);
      const isEarly = ((args['until'] ?? '9') as string) < '2026-11-22';
      return { runs: (isEarly ? [old] : MANY) as unknown as Json };
    };
    expect(ask('what happened on november 1 at 8:10am?', { answer }).text).toMatch(
      /^At 2026-11-01 08:10 UTC this run was under way:\nNothing was found to be wrong\./,
    );
  });

  it.each(['what happened in 1989?', 'what happened yesterday?', 'what happened at 08:05?'])(
    'finds the nearest run however many came later: %s',
    (question) => {
      const first = { ...RUNS[3], verdict: 'healthy' };
      const answer = (tool: string, args: JsonObject): Json => {
        if (tool !== 'list_runs') return tell(tool, args);
        if (args['until'] !== undefined) return { runs: [] };
        return { runs: (args['oldest_first'] === true ? [first] : MANY) as unknown as Json };
      };
      const { text } = ask(question, { answer });
      expect(text).toContain('The nearest began at 2026-11-22 08:10:00 UTC:');
      expect(text).not.toContain('There may be more');
    },
  );

  it('says if not all runs were read', () => {
    expect(ask('what happened today?', { answer: tellMany }).text).toMatch(
      /these 20 runs were under way.*\nThere may be more: I read at most 20 runs\.$/s,
    );
  });
});
