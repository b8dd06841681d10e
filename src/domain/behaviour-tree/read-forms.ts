import { LITERALS, SYMBOL, type Form, type Place } from './form.js';
import type { AddFault } from './behaviour-faults.js';

/** Limits of one text: above what people write by hand, and a bound on the work. */
export const TEXT_BOUNDS = { characters: 200_000, depth: 100 } as const;

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const NAMES: Readonly<Record<string, string>> = { '(': 'list', '[': 'vector', '{': 'map' };
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '"': '"',
  '\\': '\\',
};
const SPACE = /[\s\ufeff]/;
const ENDS_TOKEN = /[\s\ufeff()[\]{}";]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses S-expressions: strings, numbers, symbols, `:keywords`, `true false nil`, `(lists)`,
 * `[vectors]` and `{:k v}` maps. `;` starts a comment until the end of the line, `#|` one until the
 * matching `|#`. Makes one pass over the text.
 * @param fault receives faults; the forms must not be used then
 */
export function readForms(text: string, fault: AddFault): Form[] {
  if (text.length > TEXT_BOUNDS.characters) {
    fault(
      { line: 1, column: 1 },
      `has ${text.length} characters; at most ${TEXT_BOUNDS.characters} are read`,
    );
    return [];
  }
  return new Reader(text, fault).read();
}

class Reader {
  private at = 0;
  private line = 1;
  /** Index of the first character of the current line. */
  private lineStart = 0;
  private gaveUp = false;

  constructor(
    private readonly text: string,
    private readonly fault: AddFault,
  ) {}

  read(): Form[] {
    return this.sequence(null, 0);
  }

  /** Reads forms up to and including the closing bracket, or to the end of the text. */
  private sequence(open: (Place & { bracket: string }) | null, depth: number): Form[] {
    const forms: Form[] = [];
    for (;;) {
      this.skip();
      const place = this.place();
      const next = this.text[this.at];
      if (next === undefined) {
        if (open && !this.gaveUp) {
          this.fault(
            open,
            `this ${NAMES[open.bracket]} is not closed: expected "${CLOSERS[open.bracket]}" before the end`,
          );
        }
        return forms;
      }
      if (next === ')' || next === ']' || next === '}') {
        this.take();
        if (open === null) {
          this.fault(place, `unexpected "${next}": nothing is open here`);
          continue;
        }
        const wanted = CLOSERS[open.bracket];
        const where = `the ${NAMES[open.bracket]} that begins at line ${open.line}, column ${open.column}`;
        if (next !== wanted)
          this.fault(place, `expected "${wanted}" to close ${where}, not "${next}"`);
        return forms;
      }
      const form = this.form(depth);
      if (form) forms.push(form);
    }
  }

  private form(depth: number): Form | null {
    const place = this.place();
    const next = this.text[this.at] as string;
    if (next === '"') return this.string(place);
    if (!(next in CLOSERS)) return this.atom(place);
    if (depth === TEXT_BOUNDS.depth) {
      this.fault(place, `is nested more than ${TEXT_BOUNDS.depth} deep`);
      this.at = this.text.length;
      this.gaveUp = true;
      return null;
    }
    this.take();
    const items = this.sequence({ ...place, bracket: next }, depth + 1);
    if (next === '{') return this.map(place, items);
    return { kind: next === '(' ? 'list' : 'vector', items, ...place };
  }

  private map(place: Place, items: Form[]): Form {
    const entries: { key: Form; value: Form }[] = [];
    const seen = new Set<string>();
    for (let i = 0; i < items.length; i += 2) {
      const key = items[i] as Form;
      const value = items[i + 1];
      if (key.kind !== 'keyword') this.fault(key, 'expected a :keyword as the key of a map');
      else if (seen.has(key.name)) this.fault(key, `:${key.name} stands twice in this map`);
      else seen.add(key.name);
      if (value) entries.push({ key, value });
      else this.fault(key, 'expected a value for this key of a map');
    }
    return { kind: 'map', entries, ...place };
  }

  private string(place: Place): Form {
    this.take();
    let value = '';
    for (;;) {
      const here = this.place();
      const next = this.take();
      if (next === undefined) {
        this.fault(place, `this string is not closed: expected '"' before the end`);
        return { kind: 'string', value, ...place };
      }
      if (next === '"') return { kind: 'string', value, ...place };
      if (next !== '\\') {
        value += next;
        continue;
      }
      const escape = this.take() ?? '';
      const hex =
        escape === 'u'
          ? /^[\da-fA-F]{4}/.exec(this.text.slice(this.at, this.at + 4))?.[0]
          : undefined;
      if (hex !== undefined) {
        value += String.fromCharCode(parseInt(hex, 16));
        this.at += 4;
      } else if (escape in ESCAPES) value += ESCAPES[escape];
      else
        this.fault(
          here,
          `"\\${escape}" means nothing in a string: expected \\n, \\t, \\r, \\", \\\\ or \\u and four hexadecimal digits`,
        );
    }
  }

  private atom(place: Place): Form | null {
    let end = this.at;
    while (end < this.text.length && !ENDS_TOKEN.test(this.text[end] as string)) end++;
    const token = this.text.slice(this.at, end);
    this.at = end;
    if (NUMBER.test(token)) {
      const value = Number(token);
      if (Number.isFinite(value)) return { kind: 'number', value, ...place };
    }
    const literal = LITERALS.get(token);
    if (literal !== undefined) return { kind: 'literal', value: literal, ...place };
    if (SYMBOL.test(token)) return { kind: 'symbol', name: token, ...place };
    if (token.startsWith(':') && SYMBOL.test(token.slice(1)))
      return { kind: 'keyword', name: token.slice(1), ...place };
    const shown = token.length > 40 ? `${token.slice(0, 40)}…` : token;
    this.fault(
      place,
      `"${shown}" cannot be read: expected a number, a symbol, a :keyword, a string or a list`,
    );
    return null;
  }

  /** Skips space and comments. */
  private skip(): void {
    for (;;) {
      const next = this.text[this.at];
      if (next === undefined) return;
      if (SPACE.test(next)) this.take();
      else if (next === ';')
        while (this.at < this.text.length && this.text[this.at] !== '\n') this.at++;
      else if (this.text.startsWith('#|', this.at)) this.comment();
      else return;
    }
  }

  /** Skips `#| … |#`, which may be nested. */
  private comment(): void {
    const place = this.place();
    let depth = 0;
    do {
      const step = this.text.startsWith('#|', this.at)
        ? 1
        : this.text.startsWith('|#', this.at)
          ? -1
          : 0;
      if (step !== 0) this.at += 2;
      else if (this.take() === undefined)
        return this.fault(place, 'this comment is not closed: expected "|#" before the end');
      depth += step;
    } while (depth > 0);
  }

  private place(): Place {
    return { line: this.line, column: this.at - this.lineStart + 1 };
  }

  /** Returns the next character and counts lines. */
  private take(): string | undefined {
    const next = this.text[this.at];
    if (next === undefined) return undefined;
    this.at++;
    if (next === '\n') {
      this.line++;
      this.lineStart = this.at;
    }
    return next;
  }
}
