import { createContext, Script } from 'node:vm';
import { Environment, EvaluationError, type ASTNode } from '@marcbachmann/cel-js';
import type { ConditionResult } from '../domain/notifications/pump.js';
import type { RuleView } from './rule-view.js';

/** Maximum ms of a condition that could be slow. */
const PATIENCE_MS = 50;
/** Maximum number of evaluations of a condition that was late because the machine was busy. */
const MOST_TRIES = 5;

/**
 * Syntax whose cost is bounded by the size of the expression. Expressions with other syntax run
 * with a time limit.
 */
const CHEAP = new Set(
  [
    'has',
    'size',
    'contains',
    'startsWith',
    'endsWith',
    'int',
    'double',
    'string',
    'bool',
    'dyn',
    'type',
  ].concat([
    'tool_completed',
    'tool_failed',
    'failure_count',
    'context_above_threshold',
    'message_count_above',
  ]),
);
/** `cel.bind` doubles a text with each use. */
const REFUSED = new Set(['bind']);

const environment = new Environment({
  limits: {
    maxAstNodes: 500,
    maxDepth: 32,
    maxListElements: 100,
    maxMapEntries: 100,
    maxCallArguments: 8,
  },
  homogeneousAggregateLiterals: false,
})
  .registerVariable('turn', {
    schema: {
      number: 'int',
      token_usage: 'double',
      context_usage: 'double',
      iteration_count: 'int',
      iteration_limit: 'int',
    },
  })
  .registerVariable('history', {
    schema: {
      messages: 'list<map>',
      tools: 'list<map>',
      failures: 'map<string, int>',
      total_tool_calls: 'int',
      total_failures: 'int',
    },
  })
  .registerVariable('topology', { schema: { id: 'int', name: 'string', nodes: 'list<map>' } })
  .registerVariable('agent', {
    schema: { id: 'string', type: 'string', name: 'string', team: 'dyn' },
  })
  .registerVariable('state', 'map')
  .registerVariable('event', {
    schema: { type: 'string', source: 'string', severity: 'string', payload: 'map' },
  })
  .registerVariable('result', {
    schema: {
      tool_name: 'string',
      success: 'bool',
      result: 'dyn',
      error: 'dyn',
      duration_ms: 'int',
      characters: 'int',
    },
  });

/**
 * The view that the functions read. Set during the evaluation of a condition, which is synchronous.
 */
let view: RuleView | undefined;

environment
  .registerFunction(
    'tool_completed(string): bool',
    (name: string) => (view?.completed(name) ?? 0) > 0,
  )
  .registerFunction('tool_failed(string): bool', (name: string) => (view?.failed(name) ?? 0) > 0)
  .registerFunction('failure_count(string): int', (name: string) => BigInt(view?.failed(name) ?? 0))
  .registerFunction(
    'context_above_threshold(double): bool',
    (share: number) => (view?.contextUsage ?? 0) > share,
  )
  .registerFunction(
    'message_count_above(int): bool',
    (count: bigint) => BigInt(view?.messages ?? 0) > count,
  );

/** A compiled condition of a rule. */
export type RuleCondition = (view: RuleView) => ConditionResult;

/** For expressions that may be slow: the evaluation can be interrupted at any point. */
const guarded: { run: () => unknown } = { run: () => undefined };
const room = createContext(guarded);
const script = new Script('run()');

/**
 * Compiles a CEL expression. It can only read the documented context: own keys of objects, and the
 * functions of CEL and of the documentation; no globals.
 * @returns the condition, or its fault, for the author of the rule
 */
export function compileCondition(
  expression: string,
): { condition: RuleCondition } | { fault: string } {
  let parsed: ReturnType<Environment['parse']>;
  try {
    parsed = environment.parse(expression);
  } catch (error) {
    return { fault: describe(error) };
  }
  const checked = parsed.check();
  if (!checked.valid) return { fault: describe(checked.error) };
  if (checked.type !== 'bool' && checked.type !== 'dyn')
    return { fault: `is of the type ${checked.type}; a condition is a bool` };
  const names = callsIn(parsed.ast);
  const refused = [...names].find((name) => REFUSED.has(name));
  if (refused !== undefined) return { fault: `uses ${refused}, which is not allowed here` };
  const cheap = [...names].every((name) => CHEAP.has(name));
  return {
    condition: (of) => {
      view = of;
      try {
        const value: unknown = cheap
          ? parsed(of.values)
          : underClock(() => parsed(of.values) as unknown);
        return typeof value === 'boolean'
          ? { holds: value }
          : { error: `the condition returned a ${typeof value}, not true or false` };
      } catch (error) {
        return isLate(error)
          ? { error: `the condition took more than ${PATIENCE_MS} ms`, late: true }
          : { error: describe(error) };
      } finally {
        view = undefined;
      }
    },
  };
}

/**
 * Runs with a time limit that can interrupt even a regular expression. Costs about 0.15 ms.
 * Repeated if the machine was busy.
 */
function underClock(run: () => unknown): unknown {
  guarded.run = run;
  try {
    for (let tries = 1; ; tries++) {
      const began = process.cpuUsage();
      try {
        return script.runInContext(room, { timeout: PATIENCE_MS });
      } catch (error) {
        const { user, system } = process.cpuUsage(began);
        if (!isLate(error) || tries === MOST_TRIES || (user + system) / 1_000 >= PATIENCE_MS / 2)
          throw error;
      }
    }
  } finally {
    guarded.run = () => undefined;
  }
}

const isLate = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Names of the functions and macros that an expression calls. */
function callsIn(ast: ASTNode): Set<string> {
  const names = new Set<string>();
  const walk = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(walk);
    else if (typeof part === 'object' && part !== null && 'op' in part) {
      const { op, args } = part as ASTNode;
      if (op === 'call' || op === 'rcall') names.add(args[0]);
      walk(args);
    }
  };
  walk(ast);
  return names;
}

/** A short message, without the excerpt of the source that the library adds. */
function describe(error: unknown): string {
  const { summary, range, message } = error as EvaluationError;
  const text = (summary ?? message ?? String(error)).split('\n')[0] ?? '';
  return `${text.slice(0, 200)}${range ? ` (at character ${range.start + 1} of the expression)` : ''}`;
}
