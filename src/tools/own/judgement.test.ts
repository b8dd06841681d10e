import { describe, expect, test } from '@jest/globals';
import { compileJudgement } from './judgement.js';

const OUTPUT = { text: JSON.stringify({ state: 'red', queues: [{ ready: 5 }, { ready: 2_000 }] }) };

function holds(expression: string, output: { text: string; code?: number } = OUTPUT): boolean {
  const compiled = compileJudgement(expression);
  if ('fault' in compiled) throw new Error(compiled.fault);
  return compiled.judgement(output);
}

describe('a judgement', () => {
  test.each([
    ['output.state == "red"', true],
    ['output.state in ["green", "yellow"]', false],
    ['output.queues.exists(q, q.ready > 1000.0)', true],
    ['output.queues.exists(q, q.ready > 1000)', true],
    ['size(output.queues.filter(q, q.ready > 1)) == 2', true],
    ['has(output.error)', false],
    ['text.contains("red")', true],
    ['code == 3', false],
  ])('%s is %j', (expression, expected) => expect(holds(expression)).toBe(expected));

  test('reads the text of an output that is no JSON', () => {
    expect(holds('output == null && text.startsWith("down")', { text: 'down since 10:00' })).toBe(
      true,
    );
  });

  test('fails where the output lacks what it reads', () => {
    expect(() => holds('output.missing > 1')).toThrow(
      'output.missing > 1: No such key: missing; the output has state, queues',
    );
    const plain = { text: 'down since 10:00' };
    expect(() => holds('output.missing > 1', plain)).toThrow('the output is not JSON');
    const listed = { text: '["red"]' };
    expect(() => holds('output.missing > 1', listed)).toThrow('the output is no JSON object');
    const hostile = { text: JSON.stringify({ 'a\u001b[2J': 1, ok: 2 }) };
    expect(() => holds('output.missing > 1', hostile)).toThrow(/the output has ok$/);
    expect(() => holds('output.state')).toThrow('neither true nor false');
  });

  test.each([
    ['output.', 'no CEL expression'],
    ['size(text)', 'no bool'],
    ['text.matches("(a+)+$")', 'uses matches'],
    ['process.exit()', 'no CEL expression'],
    ['output.a.exists(x, output.a.exists(y, x == y))', 'within another macro'],
  ])('refuses %s', (expression, fault) => {
    expect(compileJudgement(expression)).toEqual({
      fault: expect.stringContaining(fault) as unknown,
    });
  });
});
