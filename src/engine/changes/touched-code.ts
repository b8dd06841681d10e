import { some, type DiffView } from './read-diff.js';

/** A line that runs after something failed: it returns or creates an error. */
const REPORTS =
  /\b(?:http\.Error|writeError|fmt\.Errorf|errors\.(?:New|Wrap\w*)|status\(\w{3,40}\)\.(?:json|send))\(|\b(?:throw new|raise) \w|\.(?:sendError|abort)\(/;

/** A text that only people read: words between spaces that are not a query. */
const isProse = (text: string): boolean =>
  /[a-z]{2,} [a-z]{2,}/.test(text) && !/\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE)\b/.test(text);

const withoutProse = (line: string): string =>
  line.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, (text) => (isProse(text) ? '""' : text));

/** `d := &Decoder{}`, `const total = …`. */
const DECLARES = /^(?:(?:const|let|var|val|final|auto) )?([A-Za-z_$][\w$]*)(?: ?:=| ?=(?!=))/;

/**
 * Tokens whose order does not matter: not brackets, commas and assignments, but `?.`, `&&`, `-` and
 * other operators.
 */
const PARTS = /[A-Za-z_$][\w$]*|\d[\d_.]*|&&|\|\||\?\?|[?&]\.|[-+*/%<>!?&|^~]/g;

/**
 * Names, numbers and operators of lines, in alphabetical order, without variables that the lines
 * declare themselves.
 */
function partsOf(lines: readonly string[]): string {
  const parts = lines.flatMap((line) => line.match(PARTS) ?? []);
  const isUsed = (name: string) => parts.filter((part) => part === name).length > 1;
  const own = lines.flatMap((line) => DECLARES.exec(line)?.[1] ?? []).filter(isUsed);
  const idle = new Set([...own, 'const', 'let', 'var', 'val', 'return', 'final', 'auto']);
  return parts
    .filter((part) => !idle.has(part))
    .toSorted()
    .join(' ');
}

/**
 * The changed lines that can change the behaviour of the program: not those that, before and after,
 * show text to people or report an error.
 */
export function touchedLines({ removed, added, changed }: DiffView): string[] {
  const reports = some(removed, REPORTS) && some(added, REPORTS);
  const before = new Set(removed.map(withoutProse));
  const after = new Set(added.map(withoutProse));
  return changed.filter((line) => {
    const rest = withoutProse(line);
    return !(reports && REPORTS.test(line)) && !(before.has(rest) && after.has(rest));
  });
}

/** Whether a diff has the same names and values before and after, in another order or form. */
export const isRearranged = ({ removed, added }: DiffView): boolean =>
  removed.length > 0 && partsOf(removed) === partsOf(added);
