import type { Json } from '../../lib/json.js';
import type { CompiledTree } from './compile-tree.js';
import { LITERALS, SYMBOL } from './form.js';
import { POLICY_NAMES } from './read-values.js';
import { isReference } from './resolve-options.js';
import type { ModelOptions, Policy, Tree } from './tree.js';

const WIDTH = 100;

/** The text of a tree: compiled, it is the same tree again. Subtrees stand in it whole. */
export function printTree({ name, description, blackboard, tree }: CompiledTree): string {
  const body = tree.type === 'finally' ? tree.child : tree;
  const parts = [
    ...(description === '' ? [] : [`:description ${quoted(description)}`]),
    ...(Object.keys(blackboard).length === 0 ? [] : [`:blackboard-schema ${plain(blackboard)}`]),
    node(body),
    ...(tree.type === 'finally' ? [`:finally\n${indented(node(tree.last))}`] : []),
  ];
  return `${laidOut(`tree ${named(name)}`, parts)}\n`;
}

function node(tree: Tree): string {
  switch (tree.type) {
    case 'sequence':
    case 'selector':
      return laidOut(tree.type, tree.children.map(node));
    case 'parallel':
      return laidOut(`parallel ${policy(tree)}`, tree.children.map(node));
    case 'for-each':
      return laidOut(
        `for-each (blackboard :${tree.list})${tree.atOnce ? ` ${policy(tree.atOnce)}` : ''}`,
        [node(tree.child)],
      );
    case 'repeater':
      return laidOut(
        `repeater :max-iterations ${tree.max}${tree.until === 'count' ? '' : ` :until-${tree.until}`}`,
        [node(tree.child)],
      );
    case 'retry':
      return laidOut(`retry :times ${tree.times}`, [node(tree.child)]);
    case 'timeout':
    case 'cooldown':
      return laidOut(`${tree.type} :ms ${tree.ms}`, [node(tree.child)]);
    case 'guard':
      return laidOut(`guard ${named(tree.condition)}`, [node(tree.child)]);
    case 'budget-check':
      return laidOut('decorator budget-check', [node(tree.child)]);
    case 'inverter':
      return laidOut('inverter', [node(tree.child)]);
    case 'always-succeed':
    case 'always-fail':
      return laidOut(tree.type, tree.child ? [node(tree.child)] : []);
    case 'subtree':
      return laidOut(`subtree ${named(tree.name)}`, [node(tree.child)]);
    case 'finally':
      throw new Error('a finally stands only at the root');
    case 'action':
      return `(action ${named(tree.name)}${tree.fn === undefined ? '' : ` :fn ${quoted(tree.fn)}`})`;
    case 'condition':
      return `(condition ${named(tree.name)})`;
    case 'llm-call':
      return laidOut('llm-call', Object.entries(tree.options ?? {}).map(modelOption));
  }
}

function modelOption([name, value]: [string, ModelOptions[keyof ModelOptions]]): string {
  if (name === 'timeoutMs') return `:timeout ${Number(value) / 1_000}`;
  const keyword = name === 'streamTo' ? ':stream-to' : `:${name}`;
  if (isReference(value)) return `${keyword} (blackboard :${value.blackboard})`;
  return `${keyword} ${plain(value ?? null)}`;
}

const policy = (of: Policy): string =>
  `:policy :${POLICY_NAMES[of.policy]}${of.policy === 'n' ? ` :n ${of.n}` : ''}`;

function plain(value: Json): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(plain).join(' ')}]`;
  return `{${Object.entries(value)
    .map(([key, each]) => `:${key} ${plain(each)}`)
    .join(' ')}}`;
}

const named = (name: string): string =>
  SYMBOL.test(name) && !LITERALS.has(name) ? name : quoted(name);

/** With nothing in it that ends a line, so that it can be indented. */
const quoted = (text: string): string =>
  `"${text.replace(/["\\]/g, '\\$&').replace(/[\p{Cc}\u2028\u2029]/gu, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;

const indented = (text: string): string => text.replace(/^/gm, '  ');

/** In one line where it fits and nothing in it needs more; else a line for each part. */
function laidOut(head: string, parts: readonly string[]): string {
  const line = `(${[head, ...parts].join(' ')})`;
  if (line.length <= WIDTH && !line.includes('\n')) return line;
  return `(${head}\n${parts.map(indented).join('\n')})`;
}
