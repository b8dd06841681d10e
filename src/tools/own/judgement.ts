import { Environment, type ASTNode, type EvaluationError } from '@marcbachmann/cel-js';
import type { OwnOutput } from './own-output.js';

/**
 * Functions and macros whose cost is bounded by the expression and the size of the output. Regular
 * expressions are not.
 */
const ALLOWED = new Set([
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
  'exists',
  'all',
  'exists_one',
  'filter',
  'map',
]);
const MACROS = new Set(['exists', 'all', 'exists_one', 'filter', 'map']);

const environment = new Environment({
  limits: {
    maxAstNodes: 200,
    maxDepth: 16,
    maxListElements: 100,
    maxMapEntries: 20,
    maxCallArguments: 4,
  },
  homogeneousAggregateLiterals: false,
})
  .registerVariable('output', 'dyn')
  .registerVariable('text', 'string')
  .registerVariable('code', 'int');

/**
 * @throws if the output lacks a value that the expression reads, or the expression yields no
 *   boolean
 */
type Judgement = (output: OwnOutput) => boolean;

/**
 * Compiles a CEL expression about the output of a tool: `output` (its JSON, else null), `text` and
 * `code` (exit code, else 0). Macros such as `exists` must not be nested, so that its cost grows
 * only with the size of the output.
 * @returns the judgement, or its fault for the operator
 */
export function compileJudgement(expression: string): { judgement: Judgement } | { fault: string } {
  let parsed: ReturnType<Environment['parse']>;
  try {
    parsed = environment.parse(expression);
  } catch (error) {
    return { fault: `is no CEL expression: ${describe(error)}` };
  }
  const checked = parsed.check();
  if (!checked.valid) return { fault: `is no CEL expression: ${describe(checked.error)}` };
  if (checked.type !== 'bool' && checked.type !== 'dyn')
    return { fault: `is of the type ${checked.type}, and no bool` };
  const fault = callFault(parsed.ast, false);
  if (fault !== undefined) return { fault };
  return {
    judgement: (given) => {
      const { text, code = 0 } = given;
      const output = jsonOf(text);
      let value: unknown;
      try {
        value = parsed({ output, text, code: BigInt(code) });
      } catch (error) {
        throw new Error(`${expression}: ${describe(error)}; ${keysOf(output)}`, { cause: error });
      }
      if (typeof value === 'boolean') return value;
      throw new Error(`${expression} is neither true nor false`);
    },
  };
}

function callFault(part: unknown, inMacro: boolean): string | undefined {
  if (Array.isArray(part)) {
    for (const each of part) {
      const fault = callFault(each, inMacro);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  if (typeof part !== 'object' || part === null || !('op' in part)) return undefined;
  const { op, args } = part as ASTNode;
  if (op !== 'call' && op !== 'rcall') return callFault(args, inMacro);
  const [name] = args;
  if (!ALLOWED.has(name)) return `uses ${name}; allowed are ${[...ALLOWED].join(', ')}`;
  const isMacro = MACROS.has(name);
  if (isMacro && inMacro) return `uses ${name} within another macro`;
  return callFault(args.slice(1), inMacro || isMacro);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const MOST_KEYS = 10;
/** Other keys are left off: an output is foreign text. */
const PLAIN_KEY = /^[\w.-]{1,40}$/;

function keysOf(output: unknown): string {
  if (output === null) return 'the output is not JSON';
  if (typeof output !== 'object' || Array.isArray(output)) return 'the output is no JSON object';
  const keys = Object.keys(output).filter((key) => PLAIN_KEY.test(key));
  return `the output has ${keys.slice(0, MOST_KEYS).join(', ') || 'no keys'}`;
}

function describe(error: unknown): string {
  const { summary, message } = error as EvaluationError;
  return (summary ?? message ?? String(error)).split('\n')[0]?.slice(0, 200) ?? '';
}
