import { describe, expect, it } from '@jest/globals';
import { processorMs } from '../../test/support/processes/processor-time.js';
import { compileCondition } from './condition.js';
import { bounded, type RuleView } from './rule-view.js';

const view = (more: object = {}): RuleView => ({
  values: {
    turn: {
      number: 3n,
      token_usage: 0.81,
      context_usage: 0.5,
      iteration_count: 3n,
      iteration_limit: 10n,
    },
    history: {
      messages: [],
      tools: [{ name: 'probe', success: true }],
      failures: { probe: 2n },
      total_tool_calls: 4n,
      total_failures: 2n,
    },
    topology: { id: 1n, name: 'Shop', nodes: [{ id: 'db' }] },
    agent: { id: 'w1', type: 'worker', name: 'Worker', team: null },
    state: bounded({ seen: 2, word: 'blue' }),
    event: {
      type: 'tool.call.failure',
      source: 'w1',
      severity: 'error',
      payload: bounded({ n: 5, text: 'a'.repeat(10_000_000) }),
    },
    result: {
      tool_name: 'probe',
      success: true,
      result: bounded({ summary: 'fine' }),
      error: null,
      duration_ms: 12n,
      characters: 2_001n,
    },
    ...more,
  },
  completed: (tool) => (tool === 'probe' ? 2 : 0),
  failed: (tool) => (tool === 'probe' ? 2 : 0),
  contextUsage: 0.5,
  messages: 7,
});

const ask = (expression: string, of = view()) => {
  const compiled = compileCondition(expression);
  return 'fault' in compiled ? compiled : compiled.condition(of);
};

describe('a condition', () => {
  it.each([
    'turn.token_usage > 0.8',
    'turn.number == 3 && turn.number + 1 == 4',
    'double(turn.iteration_count) > 0.2 * double(turn.iteration_limit)',
    'history.total_failures >= 2 && history.failures["probe"] == 2',
    'history.tools.exists(t, t.name == "probe" && t.success)',
    'topology.nodes.all(n, n.id != "web")',
    'agent.type == "worker" && agent.team == null',
    'has(state.seen) && state.seen > 1 && !has(state.other)',
    'event.payload.n > 4 && event.severity in ["error", "critical"]',
    'result.result.summary.startsWith("fi") && result.characters > 2000',
    'state.word.matches("^b[a-z]+e$")',
    'tool_completed("probe") && tool_failed("probe") && !tool_completed("other")',
    'failure_count("probe") == 2 && context_above_threshold(0.4) && message_count_above(6)',
  ])('%s', (expression) => {
    expect(ask(expression)).toEqual({ holds: true });
  });

  it.each([
    ['turn.numbr > 3', 'No such key: numbr'],
    ['nope.x', 'Unknown variable: nope'],
    ['process.exit(1)', 'Unknown variable: process'],
    ['1 +', 'at character 4'],
    ['1 + 1', 'is of the type int'],
    ['globalThis == null', 'Unknown variable'],
    ['cel.bind(a, "x", cel.bind(b, a + a, b + b)) == ""', 'uses bind'],
    ['('.repeat(1_900), 'maxDepth'],
    [`${'true && '.repeat(280)}true`, 'maxAstNodes'],
    ['require("fs") == null', 'require'],
  ])('refuses %s', (expression, why) => {
    expect(ask(expression)).toEqual({ fault: expect.stringContaining(why) });
  });

  it.each([
    'state.constructor',
    'state.__proto__',
    'event.payload.text.constructor',
    'result.result.toString',
    'topology.nodes.constructor',
  ])('cannot reach a prototype with %s', (path) => {
    const outcome = ask(`${path} != null`);
    expect('fault' in outcome || 'error' in outcome).toBe(true);
  });

  it.each([
    ['a pattern that backtracks for ever', 'event.payload.text.matches("^(a+)+b$")'],
    [
      'loops in loops',
      `event.payload.text.split("").exists(a, event.payload.text.split("").exists(b, event.payload.text.split("").exists(c, a + b + c == "x")))`,
    ],
  ])('stops %s', (_, expression) => {
    const before = processorMs();
    expect(ask(expression)).toEqual({
      error: expect.stringContaining('more than 50 ms'),
      late: true,
    });
    expect(processorMs() - before).toBeLessThan(2_000);
    expect(ask('turn.number == 3')).toEqual({ holds: true });
  });

  it('reports a value of the wrong type', () => {
    expect(ask('state.word > 3')).toEqual({ error: expect.stringContaining('no such overload') });
    expect(ask('state.word')).toEqual({
      error: 'the condition returned a string, not true or false',
    });
  });
});

it('bounds a view of a large and deep value', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = { deep };
  const wide = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'x'.repeat(10_000)]),
  );
  const text = JSON.stringify(bounded({ deep, wide, list: Array(1_000_000).fill(1.5) }));
  expect(text.length).toBeLessThan(600_000);
});
