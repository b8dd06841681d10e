import { expect, it } from '@jest/globals';
import { callsBefore } from './calls-of.js';

const turn = (...calls: [string, string][]) => ({
  role: 'assistant' as const,
  text: '',
  calls: calls.map(([id, tool]) => ({ id, tool, args: { id } })),
});

it('lists the calls of a tool before a call, also those of the same turn', () => {
  const messages = [
    turn(['t1', 'start'], ['t2', 'look']),
    turn(['t3', 'start'], ['t4', 'start'], ['t5', 'start']),
  ];
  const before = (id: string) =>
    callsBefore(messages, { tool: 'start', id }).map((args) => args['id']);
  expect(before('t1')).toEqual([]);
  expect(before('t4')).toEqual(['t1', 't3']);
  expect(before('unknown')).toEqual([]);
});
