import { allowed, quote } from '../../lib/text.js';
import { TREE_BOUNDS, type Compilation } from './compilation.js';
import { describe, type Form, type FormOf, type Place } from './form.js';
import { readArguments, takeName, type Arguments } from './read-arguments.js';
import { NODE_NAMES, NODE_OPTIONS } from './node-options.js';
import { readModelOptions } from './read-model-options.js';
import { isReference } from './resolve-options.js';
import { readCount, readPolicy, readReference } from './read-values.js';
import { BUDGET_CONDITION, type Tree } from './tree.js';

/**
 * Compiles the nodes of one file. A node with a fault becomes null, and the others are still
 * checked.
 */
export class NodeCompiler {
  private readonly fault;
  private readonly parts = new Map<string, FormOf<'list'>>();

  /**
   * @param open the subtrees that are being compiled, outermost first; the last is this tree
   * @param keys of the tree's own schema
   */
  constructor(
    file: string,
    private readonly shared: Compilation,
    private readonly open: readonly string[],
    private readonly keys: readonly string[],
    forms: readonly Form[],
  ) {
    this.fault = shared.faults.in(file);
    for (const form of forms) this.findParts(form);
  }

  /** Several forms make a sequence. */
  body(
    { place, forms, owner }: { place: Place; forms: readonly Form[]; owner: string },
    depth: number,
    open = this.open,
  ): Tree | null {
    if (forms.length === 0) {
      this.fault(
        place,
        `${owner} needs a body: expected a node such as (sequence …) or (action …)`,
      );
      return null;
    }
    const children = forms.map((form) => this.node(form, depth, open));
    if (children.length === 1) return children[0] ?? null;
    return { type: 'sequence', children: children.filter((child) => child !== null) };
  }

  private node(form: Form, depth: number, open: readonly string[]): Tree | null {
    if (++this.shared.nodes > TREE_BOUNDS.nodes) {
      if (this.shared.nodes === TREE_BOUNDS.nodes + 1)
        this.fault(form, `has more than ${TREE_BOUNDS.nodes} nodes, with its subtrees`);
      return null;
    }
    if (depth > TREE_BOUNDS.depth) {
      this.fault(form, `is more than ${TREE_BOUNDS.depth} nodes deep, with its subtrees`);
      return null;
    }
    const head = form.kind === 'list' ? form.items[0] : undefined;
    if (form.kind !== 'list' || head?.kind !== 'symbol') {
      this.fault(
        head ?? form,
        `expected a node such as (sequence …), not ${describe(head ?? form)}`,
      );
      return null;
    }
    const kinds = Object.hasOwn(NODE_OPTIONS, head.name) ? NODE_OPTIONS[head.name] : undefined;
    if (!kinds) {
      this.fault(head, `there is no node (${head.name} …): ${allowed(head.name, NODE_NAMES)}`);
      return null;
    }
    return this.build(readArguments(form, head.name, kinds, this.fault), depth + 1, open);
  }

  private build(args: Arguments, depth: number, open: readonly string[]): Tree | null {
    const { head } = args;
    const wrap = <Node extends Tree>(make: (child: Tree) => Node): Node | null => {
      const child = this.body({ place: args.place, forms: args.rest, owner: head }, depth, open);
      return child && make(child);
    };
    const count = (name: string, most: number) => readCount(args, name, most, this.fault);
    switch (head) {
      case 'sequence':
      case 'selector':
        return { type: head, children: this.children(args, depth, open) };
      case 'parallel':
        return this.parallel(args, depth, open);
      case 'for-each':
        return this.forEach(args, depth, open);
      case 'repeater': {
        const until = this.until(args);
        const max = count('max-iterations', TREE_BOUNDS.iterations);
        return wrap((child) => ({ type: head, until, max, child }));
      }
      case 'retry': {
        const times = count('times', TREE_BOUNDS.times);
        return wrap((child) => ({ type: head, times, child }));
      }
      case 'timeout':
      case 'cooldown': {
        const ms = count('ms', TREE_BOUNDS.ms);
        return wrap((child) => ({ type: head, ms, child }));
      }
      case 'guard': {
        const condition = this.condition(args);
        return wrap((child) => ({ type: head, condition: condition ?? '', child }));
      }
      case 'inverter':
        return wrap((child) => ({ type: head, child }));
      case 'always-succeed':
      case 'always-fail':
        return args.rest.length === 0 ? { type: head } : wrap((child) => ({ type: head, child }));
      case 'succeed':
        this.expectEmptyBody(args);
        return { type: 'always-succeed' };
      case 'decorator': {
        const what = takeName(args, 'the name of a decorator', this.fault);
        if (what !== null && what !== 'budget-check')
          this.fault(args.place, `there is no decorator ${quote(what)}: expected budget-check`);
        else this.check('condition', BUDGET_CONDITION, args.place);
        return wrap((child) => ({ type: 'budget-check', child }));
      }
      case 'subtree':
        return this.subtree(args, depth, open);
      case 'condition': {
        const name = this.condition(args);
        this.expectEmptyBody(args);
        return name === null ? null : { type: head, name };
      }
      case 'action':
        return this.action(args);
      default: {
        const options = readModelOptions(args, this.fault);
        for (const value of Object.values(options))
          if (isReference(value)) this.checkKey(value.blackboard, args.place);
        this.expectEmptyBody(args);
        return { type: 'llm-call', options };
      }
    }
  }

  private children(args: Arguments, depth: number, open: readonly string[]): Tree[] {
    if (args.rest.length === 0)
      this.fault(args.place, `${args.head} needs a body: expected at least one node`);
    return args.rest.map((form) => this.node(form, depth, open)).filter((child) => child !== null);
  }

  /** A parallel with a single for-each as its body runs the entries of that list at once. */
  private parallel(args: Arguments, depth: number, open: readonly string[]): Tree {
    const policy = readPolicy(args, this.fault) ?? { policy: 'all' };
    const children = this.children(args, depth, open);
    const [only] = children;
    if (children.length === 1 && only?.type === 'for-each' && !only.atOnce)
      return { ...only, atOnce: policy };
    if (policy.policy === 'n' && policy.n > args.rest.length) {
      this.fault(
        args.options.get('n') ?? args.place,
        `expected at most ${args.rest.length} for :n, as many as there are nodes, not ${policy.n}`,
      );
    }
    return { type: 'parallel', ...policy, children };
  }

  private forEach(args: Arguments, depth: number, open: readonly string[]): Tree | null {
    const form = args.rest.shift();
    const list = form && readReference(form);
    if (!list)
      this.fault(
        form ?? args.place,
        `expected (blackboard :key), the list${form ? `, not ${describe(form)}` : ''}`,
      );
    else this.checkKey(list.blackboard, form);
    const policy = readPolicy(args, this.fault);
    const child = this.body(
      { place: args.place, forms: args.rest, owner: 'for-each' },
      depth,
      open,
    );
    return list && child
      ? { type: 'for-each', list: list.blackboard, ...(policy && { atOnce: policy }), child }
      : null;
  }

  private until({ place, options }: Arguments): 'success' | 'failure' | 'count' {
    const success = options.has('until-success');
    if (success && options.has('until-failure'))
      this.fault(place, 'repeater takes :until-success or :until-failure, not both');
    return success ? 'success' : options.has('until-failure') ? 'failure' : 'count';
  }

  private action(args: Arguments): Tree | null {
    const name = takeName(args, 'the name of an action', this.fault);
    this.expectEmptyBody(args);
    const form = args.options.get('fn');
    if (form && form.kind !== 'string')
      this.fault(form, `expected a string for :fn, not ${describe(form)}`);
    const fn = form?.kind === 'string' ? form.value : undefined;
    if (name === null) return null;
    this.check('action', fn ?? name, form ?? args.place);
    return { type: 'action', name, ...(fn !== undefined && { fn }) };
  }

  /**
   * `(subtree NAME)` refers to a part of this tree or to another tree. `(subtree NAME BODY…)`
   * defines such a part and uses it.
   */
  private subtree(args: Arguments, depth: number, open: readonly string[]): Tree | null {
    const name = takeName(args, 'the name of a tree', this.fault);
    if (name === null) return null;
    const part = this.parts.get(name);
    const key = part ? `${this.open.at(-1)}/${name}` : name;
    if (open.includes(key)) {
      this.fault(
        args.place,
        `a cycle of subtrees: ${[...open.slice(open.indexOf(key)), key].join(' → ')}`,
      );
      return null;
    }
    const inside = [...open, key];
    const child = part
      ? this.body({ place: part, forms: part.items.slice(2), owner: 'subtree' }, depth, inside)
      : this.other(name, args.place, depth, inside);
    return child && { type: 'subtree', name, child };
  }

  private other(name: string, place: Place, depth: number, open: readonly string[]): Tree | null {
    const text = this.shared.known.tree?.(name);
    if (text) return this.shared.include(text, open, depth);
    this.fault(place, `there is no tree ${quote(name)}, and no part of this one is called so`);
    return null;
  }

  private condition(args: Arguments): string | null {
    const name = takeName(args, 'the name of a condition', this.fault);
    if (name !== null) this.check('condition', name, args.place);
    return name;
  }

  private check(kind: 'action' | 'condition', name: string, place: Place): void {
    const names = kind === 'action' ? this.shared.known.actions : this.shared.known.conditions;
    if (!names.includes(name))
      this.fault(place, `no ${kind} is called ${quote(name)}: ${allowed(name, names)}`);
  }

  private checkKey(key: string, place: Place): void {
    const known = this.shared.known.blackboard;
    if (!known || known.includes(key) || this.keys.includes(key)) return;
    this.fault(place, `the blackboard has no :${key}: ${allowed(key, [...this.keys, ...known])}`);
  }

  private expectEmptyBody({ head, rest: [first] }: Arguments): void {
    if (first) this.fault(first, `${head} has no body; did not expect ${describe(first)}`);
  }

  private findParts(form: Form): void {
    if (form.kind !== 'list') return;
    const [head, name] = form.items;
    if (
      head?.kind === 'symbol' &&
      head.name === 'subtree' &&
      form.items.length > 2 &&
      (name?.kind === 'symbol' || name?.kind === 'string')
    ) {
      const called = name.kind === 'symbol' ? name.name : name.value;
      if (this.parts.has(called)) this.fault(name, `there are two parts ${quote(called)}`);
      else this.parts.set(called, form);
    }
    for (const item of form.items) this.findParts(item);
  }
}
