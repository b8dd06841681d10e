import { expect, it } from '@jest/globals';
import { GLOBAL, recorder, redisFull, turn } from '../../../test/support/streams/shop-events.js';
import { RunFacts, summaryOf } from './run-facts.js';

const factsOf = (events: ReturnType<typeof redisFull>): RunFacts => {
  const facts = new RunFacts();
  for (const event of events) facts.add(event);
  return facts;
};

it('knows the topology of a run, its agents and its tool calls', () => {
  const facts = factsOf(redisFull());
  expect(facts).toMatchObject({
    runId: 'run-1',
    topologyId: 123,
    topologyName: 'Shop',
    version: 1,
    teams: 1,
    toolCalls: 2,
    startedAt: Date.UTC(2026, 0, 1),
  });
  expect(facts.agents).toContainEqual({ name: 'Prober', team: 'Payment Gateway' });
  expect(facts.agents).toContainEqual({ name: 'Global Supervisor', team: null });
  expect([facts.nodeName('redis'), facts.nodeName('mail')]).toEqual(['Payments Redis', 'mail']);
});

it('finds a result that a finding cites, with the node that was asked about', () => {
  expect(factsOf(redisFull()).results.get(14)).toEqual({
    tool: 'redis_inspect',
    node: 'redis',
    summary: 'memory 105 % of 8.0 MB, policy noeviction',
  });
});

it('adds the costs of calls, and takes the last count of tokens', () => {
  const { events, add } = recorder();
  const usage = {
    ...turn(null),
    model: 'm',
    input_tokens: 1,
    output_tokens: 1,
    context_tokens: 0,
    max_context_tokens: 9,
    finish_reason: 'stop' as const,
  };
  add('llm.usage', GLOBAL, { ...usage, total_tokens: 10, cost: 0.25 });
  add('llm.usage', GLOBAL, { ...usage, total_tokens: 30 });
  add('llm.usage', GLOBAL, { ...usage, total_tokens: 40, cost: 0.5 });
  expect(factsOf(events)).toMatchObject({ tokens: 40, cost: 0.75 });
  expect(factsOf(redisFull()).cost).toBeUndefined();
});

it.each([
  [{ summary: 'answers 500', error: 'x' }, 'answers 500'],
  [{ summary: '', message: 'no route' }, 'no route'],
  [{ error: 'no result within 1 s' }, 'no result within 1 s'],
  ['a text', 'a text'],
  ['', 'timeout'],
  [['a', 'list'], 'timeout'],
  [null, 'timeout'],
])('shows the result %j as %j', (result, shown) => {
  expect(summaryOf(result, 'timeout')).toBe(shown);
});
