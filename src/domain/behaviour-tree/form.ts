/** A position in a text, from 1. A column counts UTF-16 units, as editors do. */
export interface Place {
  line: number;
  column: number;
}

/** A parsed element of a tree's text. */
export type Form = Place &
  (
    | { kind: 'list'; items: Form[] }
    | { kind: 'vector'; items: Form[] }
    | { kind: 'map'; entries: { key: Form; value: Form }[] }
    | { kind: 'string'; value: string }
    | { kind: 'number'; value: number }
    | { kind: 'symbol'; name: string }
    | { kind: 'keyword'; name: string }
    | { kind: 'literal'; value: true | false | null }
  );

export type FormOf<Kind extends Form['kind']> = Extract<Form, { kind: Kind }>;

/** `load-context`, `has-tool-calls?`, `tools.execute`. */
export const SYMBOL = /^[\p{L}_][\p{L}\p{N}_.\-/!*]*\??$/u;

/** Literals that look like symbols. */
export const LITERALS: ReadonlyMap<string, true | false | null> = new Map([
  ['true', true],
  ['false', false],
  ['nil', null],
]);

/** Describes a form for an error message. */
export function describe(form: Form): string {
  switch (form.kind) {
    case 'list': {
      const [head] = form.items;
      return head?.kind === 'symbol' ? `(${head.name} …)` : 'a list';
    }
    case 'vector':
      return 'a vector';
    case 'map':
      return 'a map';
    case 'string':
      return `the string ${JSON.stringify(form.value.length > 40 ? `${form.value.slice(0, 40)}…` : form.value)}`;
    case 'number':
      return `the number ${form.value}`;
    case 'symbol':
      return `the symbol ${form.name}`;
    case 'keyword':
      return `:${form.name}`;
    case 'literal':
      return form.value === null ? 'nil' : String(form.value);
  }
}
