import { describe, expect, it } from '@jest/globals';
import { UnmeasuredError } from '../unmeasured-error.js';
import { failureIssues, repeat } from './repeat.js';

const signal = new AbortController().signal;
/** Tries something that succeeds and fails by turns. @returns how often */
async function tried(outcomes: string, tries: number, timeoutMs = 10) {
  let i = 0;
  const done = await repeat(
    { tries, timeoutMs, signal },
    () => Promise.resolve(outcomes[i++ % outcomes.length] === '+'),
    (isWell) => !isWell,
  );
  return done.length;
}

describe('tries', () => {
  it('are as many as were asked for if they agree', async () => {
    expect(await tried('+', 3)).toBe(3);
    expect(await tried('-', 2)).toBe(2);
  });

  it('are ten if they disagree, to tell how often it fails', async () => {
    expect(await tried('++-', 3)).toBe(10);
    expect(await tried('++-', 1)).toBe(1);
  });

  it('that could last longer than all may take are not started', async () => {
    expect(await tried('+', 3, 20_001)).toBe(1);
  });

  it('that cannot be made take back none before them', async () => {
    const until = (last: number) => {
      let i = 0;
      const attempt = () =>
        (i += 1) > last
          ? Promise.reject(new UnmeasuredError('no resolver'))
          : Promise.resolve('failed');
      return repeat({ tries: 3, timeoutMs: 10, signal }, attempt, () => true);
    };
    expect(await until(1)).toEqual(['failed']);
    await expect(until(0)).rejects.toThrow('no resolver');
  });

  it('end with their signal', async () => {
    const aborted = AbortSignal.abort(new Error('cancelled'));
    await expect(
      repeat(
        { tries: 3, timeoutMs: 10, signal: aborted },
        () => Promise.resolve(1),
        () => false,
      ),
    ).rejects.toThrow('cancelled');
  });
});

describe('failed tries', () => {
  const failure = (text: string, more: object = {}) => ({
    symptom: 'erroring' as const,
    text,
    ...more,
  });

  it('make no issue if there are none', () => expect(failureIssues([], 3, 'x')).toEqual([]));

  it('make one issue of what most of them met', () => {
    const all = [failure('answers 500'), failure('closed'), failure('answers 500')];
    expect(failureIssues(all, 3, 'status 200')).toEqual([
      {
        severity: 'critical',
        symptom: 'erroring',
        title: 'answers 500',
        detail: '3 of 3 tries failed, some otherwise: closed. Expected status 200.',
      },
    ]);
  });

  it('that closed connections and refused others are of a process that is started again', () => {
    const reset = failure('closed', { fault: 'reset', failureKind: 'exception' });
    const refused = failure('refused', { fault: 'refused' });
    const says = failure('says it is down', { steps: 'unhealthy-part', part: 'db' });
    const issuesOf = (...failures: ReturnType<typeof failure>[]) => failureIssues(failures, 3, 'x');
    for (const first of [reset, refused, says]) {
      const [issue] = issuesOf(first, first, reset, refused);
      expect(issue?.kind).toBe('crash-loop');
      expect(issue?.steps).toBeUndefined();
    }
    expect(issuesOf(reset, reset)[0]?.kind).toBe('exception');
    expect(issuesOf(refused, refused)[0]).not.toHaveProperty('kind');
    expect(issuesOf(says, says)[0]).toMatchObject({ steps: 'unhealthy-part', part: 'db' });
  });

  it.each([
    [4, 'warning'],
    [5, 'critical'],
  ])('of which %d of ten failed are %s', (count, severity) => {
    const [issue] = failureIssues(Array(count).fill(failure('closed')), 10, 'x');
    expect(issue).toMatchObject({
      severity,
      title: 'fails now and then: closed',
      intermittent: true,
    });
  });

  it('keep the severity and the time of their failure', () => {
    const [issue] = failureIssues([failure('late', { severity: 'warning', waitedMs: 70 })], 1, 'x');
    expect(issue).toMatchObject({ severity: 'warning', duration_ms: 70 });
  });

  it('keep the status, and that nothing was waited for', () => {
    const [issue] = failureIssues([failure('x', { atOnce: true, httpStatus: 502 })], 1, 'x');
    expect(issue).toMatchObject({ took_ms: 0, http_status: 502 });
    expect(issue).not.toHaveProperty('intermittent');
  });
});
