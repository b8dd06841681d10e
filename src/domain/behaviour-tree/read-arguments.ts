import { allowed } from '../../lib/text.js';
import type { AddFault } from './behaviour-faults.js';
import { describe, type Form, type FormOf, type Place } from './form.js';

/** A flag has no value; every other option takes the form after it. */
export type OptionKinds = Readonly<Record<string, 'flag' | 'value'>>;

/** The elements of a list after its head. */
export interface Arguments {
  place: Place;
  head: string;
  /** By name without the colon; the value of a flag is its keyword. */
  options: Map<string, Form>;
  /** All other elements, in order. */
  rest: Form[];
}

/** Separates the options of a list from its other elements. Options may be anywhere. */
export function readArguments(
  list: FormOf<'list'>,
  head: string,
  kinds: OptionKinds,
  fault: AddFault,
): Arguments {
  const options = new Map<string, Form>();
  const rest: Form[] = [];
  const forms = list.items.slice(1);
  for (let i = 0; i < forms.length; i++) {
    const form = forms[i] as Form;
    if (form.kind !== 'keyword') {
      rest.push(form);
      continue;
    }
    const { name } = form;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    const next = forms[i + 1];
    const value = kind === 'flag' ? form : next;
    if (kind === undefined) {
      const names = Object.keys(kinds).map((known) => `:${known}`);
      fault(form, `${head} has no option :${name}: ${allowed(`:${name}`, names)}`);
      // The next form is probably the value of the unknown option, not part of the body.
      if (next && next.kind !== 'keyword' && next.kind !== 'list') i++;
      continue;
    }
    if (kind === 'value') i++;
    if (value === undefined) fault(form, `expected a value for :${name}`);
    else if (options.has(name)) fault(form, `:${name} stands twice in this ${head}`);
    else options.set(name, value);
  }
  return { place: list, head, options, rest };
}

/** Takes the name at the start of a list. */
export function takeName(
  { place, head, rest }: Arguments,
  what: string,
  fault: AddFault,
): string | null {
  const first = rest[0];
  if (first?.kind !== 'symbol' && first?.kind !== 'string') {
    fault(
      first ?? place,
      `${head} needs ${what}: expected a symbol or a string${first ? `, not ${describe(first)}` : ''}`,
    );
    return null;
  }
  rest.shift();
  const name = first.kind === 'symbol' ? first.name : first.value;
  if (name.trim() === '') fault(first, `expected ${what}, not an empty string`);
  return name;
}
