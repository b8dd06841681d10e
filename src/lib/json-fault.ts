/** The position at which a text is not JSON, and what was expected there. */
export interface JsonFault {
  line: number;
  column: number;
  message: string;
}

const SPACE = /[ \t\n\r]*/y;
// A string, a word or number, or a sign of the syntax.
const TOKEN =
  /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])|[{}[\],:]/uy;

/** What may follow. `member` and `item` are the first of an object or list, which may be empty. */
type ExpectedToken = 'value' | 'item' | 'key' | 'member' | 'colon' | 'comma' | 'end';

const CLOSING: Partial<Record<string, string>> = { '{': '}', '[': ']' };

const EXPECTED: Record<ExpectedToken, (open: string) => string> = {
  value: () => 'a value',
  item: () => 'a value or "]"',
  key: () => 'a key in double quotes',
  member: () => 'a key in double quotes or "}"',
  colon: () => '":" after a key',
  comma: (open) => `"," or "${CLOSING[open]}"`,
  end: () => 'the end of the text',
};

/**
 * The first fault of a text that `JSON.parse` refuses; undefined if it is JSON. It repeats nothing
 * of the text, which may hold a password; the messages of `JSON.parse` do, and not all of them have
 * a position.
 */
export function jsonFault(text: string): JsonFault | undefined {
  const open: string[] = [];
  let wanted: ExpectedToken = 'value';
  for (let at = endOf(SPACE, text, 0) ?? 0; ;) {
    if (at === text.length && wanted === 'end') return undefined;
    const end = endOf(TOKEN, text, at);
    const next: ExpectedToken | undefined =
      end === undefined ? undefined : after(wanted, text.slice(at, end), open);
    if (end === undefined || next === undefined)
      return { ...placeOf(text, at), message: messageOf(text, at, wanted, open) };
    wanted = next;
    at = endOf(SPACE, text, end) ?? end;
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/**
 * What may follow a token; undefined if the token itself is not expected.
 * @param open the objects and lists around it, which it opens and closes
 */
function after(wanted: ExpectedToken, token: string, open: string[]): ExpectedToken | undefined {
  const top = open.at(-1) ?? '';
  if ((wanted === 'item' || wanted === 'member' || wanted === 'comma') && token === CLOSING[top]) {
    open.pop();
    return open.length === 0 ? 'end' : 'comma';
  }
  switch (wanted) {
    case 'value':
    case 'item':
      if (token in CLOSING) {
        open.push(token);
        return token === '{' ? 'member' : 'item';
      }
      if (/^[}\],:]/.test(token)) return undefined;
      return top === '' ? 'end' : 'comma';
    case 'key':
    case 'member':
      return token.startsWith('"') ? 'colon' : undefined;
    case 'colon':
      return token === ':' ? 'value' : undefined;
    case 'comma':
      if (token !== ',') return undefined;
      return top === '{' ? 'key' : 'value';
    case 'end':
      return undefined;
  }
}

function messageOf(
  text: string,
  at: number,
  wanted: ExpectedToken,
  open: readonly string[],
): string {
  const expected = `expected ${EXPECTED[wanted](open.at(-1) ?? '')}`;
  if (at === text.length) return `${expected}, but the text ends`;
  const takesString = wanted !== 'colon' && wanted !== 'comma' && wanted !== 'end';
  return text[at] === '"' && takesString
    ? 'a string is not closed, or has an escape or a control character that is not valid'
    : expected;
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: at - start + 1 };
}

/** `expected a value at line 2, column 9`. */
export const showJsonFault = ({ message, line, column }: JsonFault): string =>
  `${message} at line ${line}, column ${column}`;
