import { describe, expect, it, test } from '@jest/globals';
import { diagnoseSearch, runSearch, runsSearch } from '../../console/src/app/search.js';
import type { RunItem } from '../../console/src/api/types.js';
import { parseMetrics, sampleOf } from '../../console/src/pages/operations/metrics.js';
import { outcomeOf } from '../../console/src/pages/runs/outcome.js';
import { count, number } from '../../console/src/model/number.js';
import { plainTimes } from '../../console/src/ui/plain-times.js';
import { ago, bytes, cost, duration, shortNumber, spentText } from '../../console/src/ui/format.js';

test.each([
  [0.4, '0 ms'],
  [314, '314 ms'],
  [9_780, '9.78 s'],
  [34_700, '34.7 s'],
  [125_000, '2 min 05 s'],
  [11_520_000, '3 h 12 min'],
  [null, '–'],
  [999.6, '1.00 s'],
  [9_996, '10.0 s'],
  [59_970, '1 min 00 s'],
])('%p ms is written as %s', (ms, text) => expect(duration(ms)).toBe(text));

it('writes numbers with their units', () => {
  expect([count(1, 'node'), count(2, 'node'), count(1_200, 'team')]).toEqual([
    '1 node',
    '2 nodes',
    '1,200 teams',
  ]);
  expect([number(0), number(0.0005), number(0.12345), number(12.3456), number(9_999)]).toEqual([
    '0',
    '0.0005',
    '0.1235',
    '12.346',
    '9,999',
  ]);
  expect([shortNumber(940), shortNumber(1_234), shortNumber(31_400), shortNumber(2.4e6)]).toEqual([
    '940',
    '1.2k',
    '31k',
    '2.4M',
  ]);
  expect([bytes(12), bytes(8_441_000)]).toEqual(['12 B', '8.05 MiB']);
  expect([cost(undefined), cost(0), cost(0.00123), cost(1.5)]).toEqual([
    '–',
    '0',
    '0.0012',
    '1.50',
  ]);
  expect(spentText({ cost: 0.5, tokens: 2_960 })).toBe('0.500, 2,960 tokens');
  expect(spentText({ cost: undefined, tokens: 2_960 })).toBe('cost not known, 2,960 tokens');
  expect([ago(1_000, 2_000), ago(0, 90_000), ago(0, 8e6)]).toEqual(['now', '1 min ago', '2 h ago']);
});

describe('addresses', () => {
  it('keep what has the expected form, and nothing else', () => {
    expect(runsSearch({ status: 'failed', kind: 'x', topology: '7', q: 5 })).toEqual({
      status: 'failed',
      topology: 7,
      q: '5',
    });
    expect(runSearch({ at: '12', view: 'graph', show: 'tools', mode: 'csv', node: 'db' })).toEqual({
      at: 12,
      show: 'tools',
      node: 'db',
    });
    expect(diagnoseSearch({ topology: 0, message: 'slow', nodes: ['a', 2, {}] })).toEqual({
      message: 'slow',
      nodes: ['a', '2'],
    });
  });
});

describe('the outcome of a run', () => {
  const run = (part: Partial<RunItem>) =>
    outcomeOf({
      status: 'completed',
      kind: 'diagnosis',
      headline: null,
      counts: null,
      ...part,
    } as RunItem);

  it('comes from verdict, headline and error', () => {
    expect(run({ verdict: 'root_cause_found', headline: 'db: disk full' })).toEqual({
      state: 'root',
      label: 'Root cause found',
      text: 'db: disk full',
    });
    expect(run({ verdict: 'healthy' })).toMatchObject({ state: 'ok' });
    expect(run({ status: 'failed', error: { code: 'DEADLINE', message: 'late' } })).toMatchObject({
      state: 'failed',
      text: 'DEADLINE: late',
    });
    const counts = { critical: 0, warning: 1, info: 3 };
    expect(run({ status: 'cancelled', headline: 'slow', counts })).toMatchObject({
      text: 'Until then: slow',
    });
    const cut = 'The run ended before its conclusion. Issues were found at Web.';
    expect(run({ status: 'cancelled', headline: cut, counts })).toMatchObject({
      text: 'Until then: Issues were found at Web.',
    });
    const cause = 'Web is the root cause: answers 500.';
    expect(run({ verdict: 'root_cause_found', headline: cause })).toMatchObject({
      text: 'Web: answers 500.',
    });
    const nothing = { headline: 'Nothing wrong was measured.', counts: { ...counts, warning: 0 } };
    expect(run({ status: 'cancelled', ...nothing })).toMatchObject({ text: nothing.headline });
    expect(run({ status: 'cancelled', counts: null })).toMatchObject({ text: '' });
    expect(run({ kind: 'chat', headline: 'It is the db.' })).toMatchObject({ label: 'Answered' });
  });
});

it('reads the figures of a process', () => {
  const text = '# HELP x\nprocess_cpu_seconds_total 3.5\nprocess_resident_memory_bytes 1e6\n';
  const values = parseMetrics(text);
  expect(sampleOf(values, 2_000, { at: 1_000, cpuSeconds: 3 })).toEqual({
    cpuSeconds: 3.5,
    sample: { cpu: 0.5, memoryBytes: 1e6, lagMs: 0 },
  });
});

test('times in the text of a tool are written as people write them, with their zone', () => {
  expect(plainTimes('usually 5, and now 92, since 2026-09-12T11:25:00.000Z.')).toMatch(
    /^usually 5, and now 92, since 12 Sept? 2026, \d\d:25:00 \S+\.$/,
  );
  expect(plainTimes('no time')).toBe('no time');
});
