import type { Json } from '../../lib/json.js';
import { allowed } from '../../lib/text.js';
import type { AddFault } from './behaviour-faults.js';
import { describe, type Form } from './form.js';
import type { Arguments } from './read-arguments.js';
import type { Policy, Reference } from './tree.js';

const POLICIES: Readonly<Record<string, Policy['policy']>> = {
  'require-all': 'all',
  'require-one': 'one',
  'require-n': 'n',
  'continue-on-failure': 'continue',
};

/** Reads a whole number from 1 to `most`. Returns 1 after a fault. */
export function readCount(
  { place, head, options }: Arguments,
  name: string,
  most: number,
  fault: AddFault,
): number {
  const form = options.get(name);
  const expected = `a whole number from 1 to ${most}`;
  if (
    form?.kind === 'number' &&
    Number.isInteger(form.value) &&
    form.value >= 1 &&
    form.value <= most
  )
    return form.value;
  if (form) fault(form, `expected ${expected} for :${name}, not ${describe(form)}`);
  else fault(place, `${head} needs :${name}, ${expected}`);
  return 1;
}

/** Reads `:policy` and `:n`; null if there is no policy. */
export function readPolicy(args: Arguments, fault: AddFault): Policy | null {
  const form = args.options.get('policy');
  const n = args.options.get('n');
  const name = form?.kind === 'symbol' || form?.kind === 'keyword' ? form.name : undefined;
  const policy = name !== undefined && Object.hasOwn(POLICIES, name) ? POLICIES[name] : undefined;
  if (form && policy === undefined) {
    fault(
      form,
      `expected a policy, not ${describe(form)}: ${allowed(name ?? '', Object.keys(POLICIES))}`,
    );
    return null;
  }
  if (policy === 'n') return { policy, n: readCount(args, 'n', 1_000, fault) };
  if (n) fault(n, ':n goes with :policy require-n only');
  return policy === undefined ? null : { policy };
}

/** Reads `(blackboard :key)`; undefined for any other form. */
export function readReference(form: Form): Reference | undefined {
  if (form.kind !== 'list') return undefined;
  const [head, key, ...more] = form.items;
  if (
    head?.kind !== 'symbol' ||
    head.name !== 'blackboard' ||
    key?.kind !== 'keyword' ||
    more.length > 0
  )
    return undefined;
  return { blackboard: key.name };
}

/** Reads the names in a vector: keywords, symbols or strings. */
export function readNames(form: Form): string[] | undefined {
  if (form.kind !== 'vector') return undefined;
  const names = form.items.map((item) =>
    item.kind === 'string' ? item.value : 'name' in item ? item.name : undefined,
  );
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** Reads a plain value. Keywords and symbols become their names. */
export function readJson(form: Form, fault: AddFault): Json {
  switch (form.kind) {
    case 'list':
      fault(form, `expected a plain value, not ${describe(form)}`);
      return null;
    case 'vector':
      return form.items.map((item) => readJson(item, fault));
    case 'map':
      return Object.fromEntries(
        form.entries.map(({ key, value }) => [
          'name' in key ? key.name : '',
          readJson(value, fault),
        ]),
      );
    case 'string':
    case 'number':
    case 'literal':
      return form.value;
    case 'symbol':
    case 'keyword':
      return form.name;
  }
}
