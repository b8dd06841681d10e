import { describe, expect, test } from '@jest/globals';
import type { ToolResult } from '../domain/diagnosis/tool-result.js';
import { latenessOf, LoopDelay } from './limits/loop-delay.js';
import { runReliably } from './run-reliably.js';

const { signal } = new AbortController();
const CALM_MS = 5;
/** A call with time for two looks. */
const given = (delay: Pick<LoopDelay, 'start'>, until = performance.now() + 60_000) => ({
  delay,
  signal,
  until,
  calmMs: CALM_MS,
});

const slow: ToolResult = {
  status: 'failed',
  summary: 'slow',
  measurements: {},
  issues: [
    {
      severity: 'warning',
      symptom: 'slow',
      title: 'slow',
      detail: 'Slow.',
      duration_ms: 1_150,
      limit_ms: 1_000,
    },
    { severity: 'critical', symptom: 'erroring', title: 'answers 500', detail: 'It does.' },
  ],
};

/** Delays of a process, one for each time that it is watched. */
const delays = (...ms: number[]) => ({
  start: () => {
    const late = ms.shift() ?? 0;
    return {
      soFar: () => latenessOf(late > 0 ? [{ at: late, ms: late }] : []),
      stop: () => undefined,
    };
  },
});

const block = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};
const breathe = () => new Promise((resolve) => setTimeout(resolve, 15));

/** Probes in a process that is late by so many ms during the first, the second look. */
async function probed(lateMs: number[], result: ToolResult) {
  let runs = 0;
  const probe = () => {
    runs += 1;
    return Promise.resolve(result);
  };
  const outcome = await runReliably(probe, given(delays(...lateMs)));
  return { outcome, runs };
}

test('measures the delay of the process itself', async () => {
  const probe = async () => {
    await breathe();
    block(250);
    await breathe();
    return slow;
  };
  const outcome = await runReliably(probe, given(new LoopDelay()));
  expect(outcome).toMatchObject({ unreliable: true });
});

test('takes a result of a process that had time as it is', async () => {
  expect(await probed([0], slow)).toEqual({ outcome: slow, runs: 1 });
});

test('repeats what rests on a duration, and takes it where the process had time', async () => {
  expect(await probed([250, 0], slow)).toEqual({ outcome: slow, runs: 2 });
});

test.each([
  ['its own delay explains', 20, true],
  ['is longer by more than its own delay', 8, false],
])('a duration hardly above a small limit, which %s', async (_, lateMs, isUnreliable) => {
  const [issue] = slow.issues;
  const result: ToolResult = {
    ...slow,
    issues: issue ? [{ ...issue, duration_ms: 30, limit_ms: 20 }] : [],
  };
  const { outcome } = await probed([lateMs, lateMs], result);
  expect(outcome.unreliable === true).toBe(isUnreliable);
});

test('tells a probe of a time-out after which it will look again, and only then', async () => {
  const told: boolean[] = [];
  await runReliably(
    ({ looksAgain }) => {
      told.push(looksAgain(400), looksAgain(5_000));
      return Promise.resolve(slow);
    },
    given(delays(250, 250)),
  );
  expect(told).toEqual([true, false, false, false]);
});

test('takes a duration that its own delay cannot explain', async () => {
  const [issue] = slow.issues;
  const result: ToolResult = {
    ...slow,
    issues: issue ? [{ ...issue, duration_ms: 4_000, limit_ms: 1_000 }] : [],
  };
  expect(await probed([250], result)).toEqual({ outcome: result, runs: 1 });
});

test('doubts a time-out of which its own delay was a good part', async () => {
  const timeout = (duration_ms: number): ToolResult => ({
    ...slow,
    issues: [
      { severity: 'critical', symptom: 'slow', title: 'no answer', detail: 'None.', duration_ms },
    ],
  });
  const { outcome } = await probed([250, 250], timeout(500));
  expect(outcome).toMatchObject({ unreliable: true, status: 'ok' });
  expect(await probed([250], timeout(5_000))).toEqual({ outcome: timeout(5_000), runs: 1 });
});

test('takes time-outs that its delays explain only in part', async () => {
  const timeouts: ToolResult = {
    ...slow,
    issues: [
      {
        severity: 'critical',
        symptom: 'slow',
        title: 'no answer',
        detail: 'None.',
        duration_ms: 5_000,
        waits: 3,
      },
    ],
  };
  // The first of three waits was late by less than a third, or one of them by most of its time.
  expect(await probed([1_512], timeouts)).toEqual({ outcome: timeouts, runs: 1 });
  expect(await probed([4_000], timeouts)).toEqual({ outcome: timeouts, runs: 1 });
  const { outcome } = await probed([7_500, 7_500], timeouts);
  expect(outcome).toMatchObject({ unreliable: true, status: 'ok' });
});

test('takes a duration that its delays explain only if those of other tries are added', async () => {
  // Three tries of 2.3 s, one after the other, each 500 ms late: the slow answer is the target's.
  const late = latenessOf([1_500, 3_900, 6_200].map((at) => ({ at, ms: 500 })));
  const delay = { start: () => ({ soFar: () => late, stop: () => undefined }) };
  const of = async (duration_ms: number): Promise<ToolResult> => {
    const [issue] = slow.issues;
    const result: ToolResult = { ...slow, issues: issue ? [{ ...issue, duration_ms }] : [] };
    return runReliably(() => Promise.resolve(result), given(delay));
  };
  expect(await of(2_300)).not.toHaveProperty('unreliable');
  expect(await of(1_400)).toMatchObject({ unreliable: true });
});

test('does not repeat what rests on no duration', async () => {
  const result = { ...slow, issues: slow.issues.slice(1) };
  expect(await probed([250], result)).toEqual({ outcome: result, runs: 1 });
});

test('marks a duration that a busy process measured twice as unreliable, and makes it no issue', async () => {
  const { outcome, runs } = await probed([250, 250], slow);
  expect(runs).toBe(2);
  expect(outcome).toMatchObject({
    unreliable: true,
    status: 'failed',
    issues: [
      { severity: 'info', symptom: 'slow' },
      { severity: 'critical', title: 'answers 500' },
    ],
  });
  expect(outcome.issues[0]?.detail).toMatch(
    /^Slow\. Not reliable: meanwhile this process waited up to \d+ ms/,
  );
  const { outcome: alone } = await probed([250, 250], { ...slow, issues: slow.issues.slice(0, 1) });
  expect(alone.status).toBe('ok');
});

/** Two looks of a process that is late in the first, and in the second by so many ms. */
async function twoLooks(first: ToolResult, second: ToolResult, lateMs = 0) {
  const results = [first, second];
  const probe = () => Promise.resolve(results.shift() ?? second);
  return runReliably(probe, given(delays(250, lateMs)));
}
const well: ToolResult = { status: 'ok', summary: 'answered 200', measurements: {}, issues: [] };

test.each([0, 250])(
  'keeps what the first look proved, the second being late by %d ms',
  async (ms) => {
    const [time] = slow.issues;
    const second = { ...well, issues: time ? [time] : [] };
    const outcome = await twoLooks(slow, second, ms);
    expect(outcome).toMatchObject({
      status: 'failed',
      summary: expect.stringContaining('(the look before this one: answers 500)') as unknown,
      issues: [
        { symptom: 'slow', severity: ms === 0 ? 'warning' : 'info' },
        {
          severity: 'critical',
          title: 'answers 500',
          detail: 'It does. The first of two measurements showed it, the second did not.',
        },
      ],
    });
  },
);

test('shows once what both looks prove, and nothing that only the time of the first made', async () => {
  const [, answered] = slow.issues;
  const again = answered ? [{ ...answered, title: 'answers 503' }] : [];
  const second: ToolResult = { ...well, status: 'failed', issues: again };
  expect(await twoLooks(slow, second)).toEqual(second);
  expect(await twoLooks({ ...slow, issues: slow.issues.slice(0, 1) }, well)).toEqual(well);
});

describe('a second look that does not end well', () => {
  const first = { status: 'failed', unreliable: true, issues: [{ severity: 'info' }, {}] };
  const lookedTwice = (second: () => Promise<ToolResult>, until: number) => {
    const looks = [() => Promise.resolve(slow), second];
    return runReliably(() => looks.shift()?.() ?? second(), given(delays(250, 0), until));
  };

  test.each<[string, () => Promise<ToolResult>, number]>([
    ['fails', () => Promise.reject(new Error('no file descriptors')), 60_000],
    ['does not end before its call', () => new Promise<never>(() => undefined), 2_050],
    ['has no time left', () => Promise.resolve(well), -60_000],
  ])('%s: what the first showed counts', async (_, second, left) => {
    const outcome = await lookedTwice(second, performance.now() + left);
    expect(outcome).toMatchObject(first);
    expect(outcome.issues[1]).toMatchObject({ severity: 'critical', title: 'answers 500' });
  });

  test('ends with its call', async () => {
    const cancelled = new AbortController();
    const reason = new Error('cancelled');
    let looks = 0;
    const probe = ({ signal: own }: { signal: AbortSignal }): Promise<ToolResult> => {
      looks += 1;
      if (looks === 1) return Promise.resolve(slow);
      cancelled.abort(reason);
      return Promise.reject(own.reason as Error);
    };
    const call = { ...given(delays(250, 0)), signal: cancelled.signal };
    await expect(runReliably(probe, call)).rejects.toBe(reason);
  });
});

test.each([undefined, null, 7, {}, { issues: 'none' }, { issues: [null] }])(
  'passes on %j, which is no result',
  async (returned) => {
    expect(await probed([0], returned as never)).toEqual({ outcome: returned, runs: 1 });
  },
);

test('passes on what the probe throws', async () => {
  const error = new Error('broken');
  await expect(runReliably(() => Promise.reject(error), given(new LoopDelay()))).rejects.toBe(
    error,
  );
});
