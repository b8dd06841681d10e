import type { JsonObject } from '../../lib/json.js';
import type { Compilation, KnownNames, TreeText } from './compilation.js';
import { NodeCompiler } from './compile-node.js';
import { BehaviourFaults } from './behaviour-faults.js';
import { describe, type Form, type FormOf, type Place } from './form.js';
import { readArguments, takeName } from './read-arguments.js';
import { readForms } from './read-forms.js';
import { readJson } from './read-values.js';
import type { Tree } from './tree.js';

/** A tree and the data in its text. Plain JSON. */
export interface CompiledTree {
  name: string;
  description: string;
  /** Initial values of the blackboard keys that it declares. */
  blackboard: JsonObject;
  tree: Tree;
}

/**
 * Compiles `(tree NAME :description "…" :blackboard-schema {…} BODY… :finally BODY)`, the only form
 * of a text. Subtrees are inlined, so that the result is complete. At most 5,000 nodes and 100
 * levels.
 * @param file name for messages
 * @throws ConsiliumError `VALIDATION_FAILED` with every fault as `file:line:column` and what was
 *   expected
 */
export function compileTree(text: string, file: string, known: KnownNames): CompiledTree {
  const faults = new BehaviourFaults();
  const shared: Compilation = {
    known,
    faults,
    nodes: 0,
    include: (other, open, depth) => compileFile(other, shared, open, depth)?.tree ?? null,
  };
  const compiled = compileFile({ file, text }, shared, [], 0);
  faults.throwIfAny(file);
  if (!compiled) throw new Error(`${file} has no tree, and no fault`);
  return compiled;
}

/** @param open the subtrees that lead here, this one last; empty for the requested tree */
function compileFile(
  { file, text }: TreeText,
  shared: Compilation,
  open: readonly string[],
  depth: number,
): CompiledTree | null {
  const fault = shared.faults.in(file);
  const before = shared.faults.size;
  const forms = readForms(text, fault);
  if (shared.faults.size > before) return null;
  const root = onlyTree(forms, fault);
  if (!root) return null;

  const args = readArguments(
    root,
    'tree',
    { description: 'value', 'blackboard-schema': 'value', finally: 'value' },
    fault,
  );
  const name = takeName(args, 'a name', fault);
  const description = args.options.get('description');
  if (description && description.kind !== 'string')
    fault(description, `expected a string for :description, not ${describe(description)}`);
  const schema = args.options.get('blackboard-schema');
  if (schema && schema.kind !== 'map')
    fault(schema, `expected a map for :blackboard-schema, not ${describe(schema)}`);
  const blackboard = schema?.kind === 'map' ? (readJson(schema, fault) as JsonObject) : {};

  const last = args.options.get('finally');
  if (last && open.length > 0)
    fault(
      last,
      `${open.at(-1)} is used as a subtree, and cannot have a :finally: only a whole tree can`,
    );
  const compiler = new NodeCompiler(
    file,
    shared,
    open.length > 0 ? open : [name ?? ''],
    Object.keys(blackboard),
    root.items,
  );
  const child = compiler.body({ place: root, forms: args.rest, owner: 'tree' }, depth);
  const atLast = last && compiler.body({ place: last, forms: [last], owner: ':finally' }, depth);
  if (name === null || child === null || atLast === null) return null;
  const tree: Tree = atLast ? { type: 'finally', child, last: atLast } : child;
  return {
    name,
    description: description?.kind === 'string' ? description.value : '',
    blackboard,
    tree,
  };
}

function onlyTree(
  forms: readonly Form[],
  fault: (place: Place, message: string) => void,
): FormOf<'list'> | null {
  const [first, second] = forms;
  const head = first?.kind === 'list' ? first.items[0] : undefined;
  if (first?.kind !== 'list' || head?.kind !== 'symbol' || head.name !== 'tree') {
    fault(
      first ?? { line: 1, column: 1 },
      `expected (tree NAME …)${first ? `, not ${describe(first)}` : ''}`,
    );
    return null;
  }
  if (second)
    fault(second, `expected nothing after the tree, not ${describe(second)}: a file holds one`);
  return first;
}
