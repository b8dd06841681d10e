import fc from 'fast-check';
import type { ModelOptions, Policy, Tree } from '../../../src/domain/behaviour-tree/tree.js';

/** Lists over which its for-each nodes iterate. */
const ANY_LISTS = ['none', 'one', 'three'];

const policy: fc.Arbitrary<Policy> = fc.oneof(
  fc.record({ policy: fc.constantFrom('all' as const, 'one' as const, 'continue' as const) }),
  fc.record({ policy: fc.constant('n' as const), n: fc.integer({ min: 1, max: 2 }) }),
);

const reference = fc.constantFrom('model', 'list').map((blackboard) => ({ blackboard }));
const modelOptions: fc.Arbitrary<ModelOptions> = fc
  .record(
    {
      model: fc.oneof(fc.constant('gpt "x"\n'), reference),
      messages: reference,
      tools: fc.oneof(fc.array(fc.constantFrom('http_probe', 'a b')), reference),
      streamTo: fc.array(fc.constantFrom('answer', 'partial-response')),
      budget: fc.oneof(fc.integer({ min: 1, max: 2_000_000 }), reference),
      interruptible: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .chain((options) =>
    fc.integer({ min: 1, max: 3_600_000 }).map((timeoutMs) => ({ ...options, timeoutMs })),
  );

const action: fc.Arbitrary<Tree> = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map((name) => ({ type: 'action' as const, name })),
  fc.constant({ type: 'action' as const, name: 'two words', fn: 'tools.execute' }),
);
const condition: fc.Arbitrary<Tree> = fc
  .constantFrom('x?', 'y?')
  .map((name) => ({ type: 'condition' as const, name }));
const nothing: fc.Arbitrary<Tree> = fc
  .constantFrom('always-succeed' as const, 'always-fail' as const)
  .map((type) => ({ type }));

type Kind = 'parallel' | 'time' | 'model' | 'ask';

/**
 * Generates compiled trees with all kinds of nodes, except the root's `finally` and the kinds left
 * out.
 */
function nodes(without: readonly Kind[]): fc.Arbitrary<Tree> {
  const may = (kind: Kind, ...arbitraries: fc.Arbitrary<Tree>[]) =>
    without.includes(kind) ? [] : arbitraries;
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => {
    const child = tie('tree');
    const children = fc.array(child, { minLength: 1, maxLength: 3 });
    const ms = fc.integer({ min: 1, max: 30 });
    const few = fc.integer({ min: 1, max: 3 });
    const list = fc.constantFrom(...ANY_LISTS);
    const is = <Type extends Tree['type']>(type: Type) => fc.constant(type);
    return {
      tree: fc.oneof(
        { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
        action,
        ...may('ask', condition),
        nothing,
        ...may(
          'model',
          modelOptions.map((options) => ({ type: 'llm-call' as const, options })),
        ),
        fc.record({ type: fc.constantFrom('sequence' as const, 'selector' as const), children }),
        ...may(
          'parallel',
          fc
            .tuple(policy, children)
            .filter(([of, { length }]) => of.policy !== 'n' || of.n <= length)
            .filter(
              ([, [only, second]]) =>
                second !== undefined || only?.type !== 'for-each' || only.atOnce !== undefined,
            )
            .map(([of, all]) => ({ type: 'parallel' as const, ...of, children: all })),
          fc.record({ type: is('for-each'), list, atOnce: policy, child }),
        ),
        fc.record({ type: is('for-each'), list, child }),
        fc.record({
          type: is('repeater'),
          until: fc.constantFrom('success' as const, 'failure' as const, 'count' as const),
          max: few,
          child,
        }),
        fc.record({ type: is('retry'), times: few, child }),
        ...may(
          'time',
          fc.record({ type: fc.constantFrom('timeout' as const, 'cooldown' as const), ms, child }),
        ),
        ...may(
          'ask',
          fc.record({ type: is('guard'), condition: fc.constantFrom('x?', 'y?'), child }),
          fc.record({ type: is('budget-check'), child }),
        ),
        fc.record({ type: is('inverter'), child }),
        fc.record({
          type: fc.constantFrom('always-succeed' as const, 'always-fail' as const),
          child,
        }),
        // Each part gets its own name, because a text may not contain a name twice.
        fc.record({ type: is('subtree'), name: fc.constant(''), child }),
      ),
    };
  });
  return tree;
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && 'type' in value;

/** The same tree with numbered subtrees. */
function withNames(tree: Tree): Tree {
  let parts = 0;
  const named = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(named);
    if (!isTree(value)) return value;
    const entries = Object.entries(value).map(([key, each]): [string, unknown] => [
      key,
      named(each),
    ]);
    return {
      ...Object.fromEntries(entries),
      ...(value.type === 'subtree' && { name: `part-${++parts}` }),
    };
  };
  return named(tree) as Tree;
}

/** Generates whole trees. @param without kinds of nodes that are left out */
export function anyTree(...without: readonly Kind[]): fc.Arbitrary<Tree> {
  const node = nodes(without);
  const whole = fc.oneof(
    { weight: 3, arbitrary: node },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('finally' as const), child: node, last: node }),
    },
  );
  return whole.map(withNames);
}
