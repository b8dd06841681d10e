import { describe, expect, it } from '@jest/globals';
import { sessionOf, type SessionSketch } from '../../../test/support/models/agent-session.js';
import * as notices from './limit-notices.js';

const of = (sketch: SessionSketch = {}) => sessionOf(sketch).session;
const data = (event: { data: object }) => event.data as Record<string, unknown>;

describe('what people read of a limit', () => {
  it('of turns names both numbers, as the contract words it', () => {
    const session = of({ board: { turn: 7 }, limits: { maxIterations: 10 } });
    const { message, event } = notices.iterationWarning(session);
    expect(message).toBe('Approaching iteration limit (7/10). Consider wrapping up your response.');
    expect(data(event)).toMatchObject({
      code: 'LIMIT_WARNING',
      limit_type: 'iteration',
      current_value: 7,
      limit_value: 10,
    });
    expect(data(notices.iterationReached(session))).toMatchObject({
      code: 'LIMIT_REACHED',
      limit_type: 'iteration',
      percent: 70,
      message: 'Maximum iterations reached (7/10). Saving partial response.',
    });
  });

  it('of tokens is left to the log, which knows the count', () => {
    const [warning, reached] = notices.tokenNotices(of({ limits: { tokenBudget: 1_000 } }));
    const budget = 1_000;
    expect(warning).toMatchObject({
      when: { once: 'token-warning', tokens: { from: 800, budget } },
    });
    expect(reached).toMatchObject({ when: { once: 'token-reached', tokens: { from: 1_000 } } });
  });

  it('of tokens says that no more calls are made to an agent that is done', () => {
    const message = (stop: boolean) =>
      data(notices.tokenReached(of({ board: { stop } }), 500_000))['message'];
    expect(message(true)).toContain('No more model calls are made.');
    expect(message(false)).toContain('Saving partial response.');
  });

  it('of an agent that used its part of the tokens says that others have the rest', () => {
    const event = notices.tokenReached(of(), 0);
    expect(event).toMatchObject({ when: { once: 'token-part-reached' } });
    expect(data(event)['message']).toContain('the rest is kept for others');
  });

  it('of time counts no more than the limit', () => {
    const event = notices.timeReached(of({ limits: { timeoutSeconds: 10 } }));
    expect(data(event)).toMatchObject({ limit_type: 'timeout', limit_value: 10 });
    expect(data(event)['current_value']).toBeLessThanOrEqual(10);
  });

  it('of the window has its share', () => {
    expect(notices.contextWarning(of(), 28_230, 16_384).message).toMatch(
      /^Over the context limit \(28,230\/16,384 tokens\)\./,
    );
    const { message, event } = notices.contextWarning(of(), 71_000, 100_000);
    expect(message).toContain('(71,000/100,000 tokens)');
    expect(data(event)).toMatchObject({ code: 'CONTEXT_LIMIT_WARNING', percent: 71 });
  });
});

describe('what ends an agent that gets nowhere', () => {
  it('names the pattern, the action, or the last error', () => {
    expect(data(notices.loopDetected(of(), 'look(web)').event)).toMatchObject({
      code: 'LOOP_DETECTED',
      pattern: 'look(web)',
    });
    expect(data(notices.noProgress(of(), 'look'))).toMatchObject({
      code: 'NO_PROGRESS',
      repeated_action: 'look',
    });
    expect(data(notices.errorLimit(of(), 3, 3, 'refused'))).toMatchObject({
      code: 'ERROR_LIMIT',
      error_count: 3,
      last_error: 'refused',
    });
  });
});

describe('what a model reads of a limit', () => {
  it('is in words, with units', () => {
    expect(notices.tokenNote(1_234, 5_000)).toMatch(/^Approaching token budget \(1,234\/5,000/);
    expect(notices.timeNote(of({ deadlineAt: Date.now() + 9_500 }))).toMatch(
      /^Approaching time limit \([89] s left\)/,
    );
    expect(notices.timeNote(of({ deadlineAt: Date.now() - 9_500 }))).toContain('(0 s left)');
  });
});
